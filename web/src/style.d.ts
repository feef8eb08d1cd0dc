// SPDX-License-Identifier: Apache-2.0
declare module '*.css';
declare module '*.css?inline' {
  const text: string;
  export default text;
}
