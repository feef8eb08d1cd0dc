// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/byte_source.h"
#include "formats/profile_formats.h"
#include "model/profile_builder.h"

namespace sparkprof {

// Reads `data` as `format`, leniently, with everything kept, so that as much code as possible sees it.
inline void ReadFuzzed(std::string_view format, const uint8_t* data, size_t size) {
  ProfileReadOptions options{
      .name = "fuzz", .lenient = true, .keep_threads = true, .keep_tasks = true, .bucket_ns = 1000};
  ProfileBuilder builder(options);
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)RecognizeProfileFormat(bytes);
  (void)FindProfileFormat(format)->read(ViewSource(bytes), &builder);
  const Profile profile = builder.Take();
  for (uint32_t event = 0; event < profile.events.size(); ++event) (void)WeighStacks(profile, event);
}

}  // namespace sparkprof
