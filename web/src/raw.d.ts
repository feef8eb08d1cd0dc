// SPDX-License-Identifier: Apache-2.0
declare module '*.tsv?raw' {
  const text: string;
  export default text;
}
