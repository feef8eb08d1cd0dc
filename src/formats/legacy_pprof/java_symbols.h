// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "formats/legacy_pprof/legacy_profile.h"

namespace sparkprof {

// The end of a legacy profile of Java: lines " 0x3 com.example.f (Source.java:3)", " 0x4 f (/lib/libf.so)" or " 0x5
// GC". Other lines are skipped.
void ReadJavaSymbols(std::string_view lines, LegacyProfile* profile);

}  // namespace sparkprof
