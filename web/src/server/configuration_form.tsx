// SPDX-License-Identifier: Apache-2.0
// How the jobs of a group are profiled. Running jobs take a change over within a minute.
import { useState } from 'preact/hooks';
import { api, ApiError, getJson, loginUrl, part, request } from './api.ts';
import { Problem } from './chrome.tsx';
import type { Configuration } from './contract.ts';
import type { GroupProperties } from './group_properties.ts';
import { usePolled } from './poll.ts';
import { sections, type Setting } from './setting_table.ts';

interface Answer {
  error: boolean;
  text: string;
  login?: boolean;
}

export function ConfigurationForm({ group }: GroupProperties) {
  const url = api(`/groups/${part(group)}/configuration`);
  const { value, error, reload } = usePolled(url, (signal) => getJson<Configuration>(url, signal));
  const [draft, setDraft] = useState<Record<string, string> | null>(null);
  const [saved, setSaved] = useState<Configuration | null>(null);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [busy, setBusy] = useState(false);
  // what a save answered is newer than what was loaded, until the form is read again
  const current = saved && value && saved.version >= value.version ? saved : value;
  if (!current) return <main class="list-page">{error ? <Problem error={error} /> : <p class="loading">Loading…</p>}</main>;
  const settings = draft ?? current.configuration;
  const known = new Set(sections.flatMap((section) => section.settings.map(({ key }) => key)));
  const others = Object.keys(settings).filter((key) => !known.has(key));
  const set = (key: string, text: string) => {
    const next = { ...settings };
    if (text === '') delete next[key];
    else next[key] = text;
    setDraft(next);
    setAnswer(null);
  };
  const save = async () => {
    setBusy(true);
    try {
      const response = await request(url, {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json', 'If-Match': `"${current.version}"` },
        body: JSON.stringify({ configuration: settings }),
      });
      setSaved((await response.json()) as Configuration);
      setDraft(null);
      setAnswer({ error: false, text: 'Saved. Running jobs apply the change within a minute, new jobs at their start.' });
    } catch (problem) {
      setAnswer({ error: true, text: explain(problem as Error), login: problem instanceof ApiError && problem.status === 403 });
    }
    setBusy(false);
  };
  const failing = answer?.error
    ? [...known].find((key) => answer.text.startsWith(`${key}:`) || answer.text.startsWith(`${key} `))
    : undefined;
  return (
    <main class="configuration">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}>
        <p class="quiet">
          These settings apply to all jobs of {group} that use this server, and take precedence over the job’s own. An empty field leaves
          the setting to the job.{current.version > 0 && ` Version ${current.version}.`}
        </p>
        {sections.map(({ title, settings: rows }) => (
          <fieldset key={title}>
            <legend>{title}</legend>
            {rows.map((setting) => (
              <SettingField
                key={setting.key}
                setting={setting}
                value={settings[setting.key] ?? ''}
                wrong={failing === setting.key}
                change={(text) => set(setting.key, text)}
              />
            ))}
          </fieldset>
        ))}
        {others.length > 0 && (
          <fieldset>
            <legend>Others</legend>
            {others.map((key) => (
              <SettingField
                key={key}
                setting={{ key, kind: 'text', byDefault: '', allowed: '', meaning: '' }}
                value={settings[key] ?? ''}
                wrong={false}
                change={(text) => set(key, text)}
              />
            ))}
          </fieldset>
        )}
        <div class="form-end">
          <button type="submit" disabled={busy || !draft}>
            {busy ? 'Saving…' : 'Save'}
          </button>
          {draft && (
            <button
              type="button"
              onClick={() => {
                setDraft(null);
                setAnswer(null);
                reload();
              }}>
              Discard changes
            </button>
          )}
          {answer && (
            <span role={answer.error ? 'alert' : 'status'} class={answer.error ? 'bad' : ''}>
              {answer.text}
              {answer.login && (
                <>
                  {' '}
                  <a href={loginUrl()}>Log in</a>
                </>
              )}
            </span>
          )}
        </div>
      </form>
    </main>
  );
}

interface FieldProperties {
  setting: Setting;
  value: string;
  wrong: boolean;
  change(text: string): void;
}

function SettingField({ setting, value, wrong, change }: FieldProperties) {
  const { key, kind, byDefault, allowed, meaning } = setting;
  const id = `setting-${key}`;
  return (
    <div class="field">
      <label for={id} class="code">
        {key}
      </label>
      {kind === 'flag' ? (
        <select
          id={id}
          value={value}
          aria-describedby={`${id}-meaning`}
          aria-invalid={wrong}
          onChange={(event) => change(event.currentTarget.value)}>
          <option value="">job’s own setting ({byDefault})</option>
          <option value="true">true</option>
          <option value="false">false</option>
        </select>
      ) : (
        <input
          id={id}
          value={value}
          placeholder={byDefault}
          aria-describedby={`${id}-meaning`}
          aria-invalid={wrong}
          spellcheck={false}
          onInput={(event) => change(event.currentTarget.value.trim())}
        />
      )}
      <span id={`${id}-meaning`} class="quiet">
        {meaning}
        {allowed && <span class="code"> {allowed}</span>}
      </span>
    </div>
  );
}

function explain(error: Error): string {
  if (!(error instanceof ApiError)) return String(error);
  if (error.status === 412) return 'Somebody else changed the configuration meanwhile. Discard your changes to see theirs.';
  if (error.status === 403) return 'Changes need a token with the role admin.';
  return error.message;
}
