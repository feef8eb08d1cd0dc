// SPDX-License-Identifier: Apache-2.0
import { splitName } from '../../charts/flame/labels.ts';
import { LongName } from '../long_name.tsx';

export function FunctionName({ name }: { name: string }) {
  const { own, packages } = splitName(name);
  return (
    <span class="code function-name">
      <LongName text={own} />
      {packages && <span class="quiet">{packages}</span>}
    </span>
  );
}
