/** The choice of a role, with what each may do. */
import { ROLE_HINTS, ROLE_NAMES, ROLES, type Role } from "../../model/role.ts";

type Props = { readonly chosen: Role; readonly legend?: string };

export const RoleFields = ({ chosen, legend = "Role" }: Props) => (
  <fieldset>
    <legend>{legend}</legend>
    {ROLES.map((role) => (
      <label class="choice">
        <input type="radio" name="role" value={role} checked={role === chosen} />
        <span>
          {ROLE_NAMES[role]}
          <span class="hint">{ROLE_HINTS[role]}</span>
        </span>
      </label>
    ))}
  </fieldset>
);
