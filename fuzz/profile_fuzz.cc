// SPDX-License-Identifier: Apache-2.0
// One target for each format of profiles, SPARKPROF_FUZZED_FORMAT.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/io/byte_source.h"
#include "formats/profile_formats.h"
#include "model/samples/profile_builder.h"

// Reads leniently, with everything kept, so that as much code as possible sees the input; input of odd sizes with the
// options that cut.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sparkprof;
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
  (void)FindProfileFormat(SPARKPROF_FUZZED_FORMAT)->read(ViewSource(bytes), &builder);
  const Profile profile = builder.Take();
  for (EventId event = 0; event < profile.events.size(); ++event) (void)WeighStacks(profile, event);
  return 0;
}
