// SPDX-License-Identifier: Apache-2.0
/** px; of the picture of a finding */
export const pictureWidth = 480;
