// SPDX-License-Identifier: Apache-2.0
// musl's malloc.h, with what only glibc has: musl returns free memory to the system by itself.
#pragma once
#pragma GCC system_header  // include_next is no standard C++

#include_next <malloc.h>

inline int malloc_trim(size_t) { return 0; }
