// SPDX-License-Identifier: Apache-2.0
import { splitName } from '../charts/flame/labels.ts';

export function FunctionName({ name }: { name: string }) {
  const { own, packages } = splitName(name);
  return <span class="code">{own}{packages && <span class="quiet"> {packages}</span>}</span>;
}
