/** A member or a person as initials, as the elements draw them. The name stands beside it. */
import { faceOf } from "../../model/face.ts";

export const Avatar = ({ name }: { readonly name: string }) => {
  const { initials, hue } = faceOf(name);
  return (
    <span class={`face hue-${hue}`} aria-hidden="true">
      {initials}
    </span>
  );
};
