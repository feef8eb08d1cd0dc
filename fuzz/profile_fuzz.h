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

// Reads `data` as `format`, leniently, with everything kept, so that as much code as possible sees it; data of odd
// sizes with the options that cut.
inline void ReadFuzzed(std::string_view format, const uint8_t* data, size_t size) {
  ProfileReadOptions options{
      .name = "fuzz", .lenient = true, .keep_threads = true, .keep_tasks = true, .bucket_ns = 1000};
  if (size % 2 == 1) {
    options.unfreed_tail = 0.1;
    options.min_span_ns = 1;
    options.addresses = options.source_lines = true;
    options.unit = "ms";
  }
  ProfileBuilder builder(options);
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)RecognizeProfileFormat(bytes);
  (void)FindProfileFormat(format)->read(ViewSource(bytes), &builder);
  const Profile profile = builder.Take();
  for (EventId event = 0; event < profile.events.size(); ++event) (void)WeighStacks(profile, event);
}

}  // namespace sparkprof
