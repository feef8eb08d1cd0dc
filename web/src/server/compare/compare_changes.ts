// SPDX-License-Identifier: Apache-2.0
import type { Comparison } from '../contract.ts';

type Setting = Comparison['settings'][number];

const names =
  /(^|[.: ])(app\.id|app\.startTime|app\.submitTime|driver\.port|driver\.host|blockManager\.port|ui\.port|initial\.jar\.urls|initial\.file\.urls|java\.pid|PID|sun\.java\.command)$|^Classpath: |PROXY_URI_BASES|APPLICATION_WEB_PROXY/i;
const place = /^([a-z]+:)?\/|^[a-z]+:\/\/|^sparkprof_python_\d+$/i;
const numbers = /\d{3,}/g;

/** Differs between any two runs: an ID, a port, a time, or a path that differs in such a number only; or an entry of the class path, which has hundreds. */
export function changesAlways({ name, a, b }: Setting): boolean {
  if (names.test(name)) return true;
  return !!a && !!b && place.test(a) && a.replace(numbers, '0') === b.replace(numbers, '0');
}
