// SPDX-License-Identifier: Apache-2.0
import { useEffect } from 'preact/hooks';
import { query } from './query.ts';

/** Takes a token; the server keeps it in a cookie that scripts cannot read. */
export function LoginPage() {
  const failed = query.value.has('failed');
  useEffect(() => {
    document.title = 'Log in · sparkprof';
  }, []);
  return (
    <main class="login">
      <form method="post" action="/login">
        <h1>
          <span class="brand">sparkprof</span>
        </h1>
        <input type="hidden" name="next" value={query.value.get('next') ?? '/'} />
        <label for="token">Token</label>
        <input
          id="token"
          name="token"
          type="password"
          required
          autocomplete="current-password"
          aria-invalid={failed}
          aria-describedby="login-note"
          ref={(element) => element?.focus()}
        />
        <button type="submit">Log in</button>
        {failed && (
          <p class="bad" role="alert">
            Unknown token, or a token without permission to read. Check it for missing characters.
          </p>
        )}
        <p id="login-note" class="quiet">
          The operator of this server has the tokens (<span class="code">sparkprof serve --tokens</span>).
        </p>
      </form>
    </main>
  );
}
