// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/saturate.h"  // used by model/ and formats/ as well
