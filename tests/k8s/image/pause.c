// SPDX-License-Identifier: Apache-2.0
// Keeps a pod's namespaces.
#include <unistd.h>

int main(void) {
  for (;;) pause();
}
