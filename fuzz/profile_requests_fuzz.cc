// SPDX-License-Identifier: Apache-2.0
// Requests of other profilers' clients. The first byte selects the protocol.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/time.h"
#include "model/segment/block.h"
#include "server/ingest/profile_requests.h"

namespace sparkprof {
namespace {

constexpr int64_t kNow = 1'795'000'000 * kNanosPerSecond;

// An accepted profile can be read back.
void Store(const Result<ReceivedProfiles>& received) {
  if (!received) return;
  std::string blocks;
  for (const ReceivedProfile& profile : received->profiles) (void)AppendProfile(profile, kNow, &blocks);
  if (blocks.empty()) return;
  const Result<RecordingStatus> read = ReadBlocks(blocks, "blocks", [](Segment&&) {});
  if (!read || read->damaged_blocks + read->skipped_bytes + read->cut_bytes > 0) std::abort();
}

// The first line is the application's name, the second the format, the rest the body.
void StoreIngest(std::string_view text, const std::string& content_type) {
  HttpRequest request;
  for (const char* const name : {"name", "format"}) {
    const size_t end = std::min(text.find('\n'), text.size());
    request.parameters.emplace_back(name, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  request.headers = {{"content-type", content_type}};
  request.body = text;
  Store(ParseIngest(request, kNow));
}

}  // namespace
}  // namespace sparkprof

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sparkprof;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 6) {
    case 0:
      StoreIngest(text, "text/plain");
      break;
    case 1:
      StoreIngest(text, "multipart/form-data; boundary=b");
      break;
    case 2:
    case 3:
      Store(ParsePush(text, data[0] % 6 == 3));
      break;
    default:
      Store(ParseOtlpProfiles(text, data[0] % 6 == 5));
  }
  return 0;
}
