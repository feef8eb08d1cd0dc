// SPDX-License-Identifier: Apache-2.0

/** What the views of a group show: its samples of an event in a time range. */
export interface GroupProperties {
  group: string;
  from?: number;
  to?: number;
  event: string;
}
