// SPDX-License-Identifier: Apache-2.0

/** Subject of the views of a group: its samples of an event in a time range. */
export interface GroupProperties {
  group: string;
  from?: number;
  to?: number;
  event: string;
}
