/** `/account/api-keys`: every key, and the form for another while there is room. */
import { type ApiKey, MAX_ACTIVE_KEYS } from "../../model/account.ts";
import { CreateForm, type CreateFormProps } from "./create-form.tsx";
import { KeyCard } from "./key-card.tsx";
import { type Frame, Layout } from "./layout.tsx";

type Props = {
  readonly frame: Frame;
  readonly keys: readonly ApiKey[];
  readonly now: number;
  readonly form: CreateFormProps;
};

export const ApiKeysPage = ({ frame, keys, now, form }: Props) => {
  const active = keys.filter(({ state }) => state === "active").length;
  return (
    <Layout title="API keys" current="keys" {...frame}>
      <p class="lead">{`${active} of ${MAX_ACTIVE_KEYS} keys active. Counts and “last used” are about a minute behind.`}</p>
      {keys.length === 0 && <p class="notice">There are no keys yet. Create the first one below.</p>}
      {keys.length > 0 && (
        <ul class="cards">
          {keys.map((apiKey) => (
            <KeyCard apiKey={apiKey} now={now} />
          ))}
        </ul>
      )}
      {active < MAX_ACTIVE_KEYS ? (
        <CreateForm {...form} />
      ) : (
        <section aria-labelledby="create">
          <h2 id="create">Create a key</h2>
          <p class="notice">{`${active} of ${MAX_ACTIVE_KEYS} keys active: revoke one first.`}</p>
        </section>
      )}
    </Layout>
  );
};
