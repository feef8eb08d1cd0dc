// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/findings/log_values.h"
#include "analysis/findings/rules.h"
#include "base/saturate.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr int64_t kLeastWaitNs = 5'000'000'000;

// Messages of the Hive metastore's client. Only a message of an end shows the duration of a wait.
constexpr std::string_view kConnecting[] = {"Trying to connect to metastore with URI",
                                            "MetaStoreClient lost connection. Attempting to reconnect"};
constexpr std::string_view kFirstConnection = "Attempting to reconnect (1 of ";
constexpr std::string_view kConnected[] = {"Connected to metastore", "Opened a connection to metastore"};

struct CatalogWaits {
  int64_t count = 0;
  int64_t wait_ns = 0;
  int64_t longest_ns = 0;
};

template <typename Words>
bool HasAny(std::string_view text, const Words& words) {
  return std::any_of(std::begin(words), std::end(words),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

CatalogWaits WaitsIn(const LogRecords& logs) {
  CatalogWaits waits;
  std::map<uint32_t, int64_t> begin_ns;  // start of the wait, by source
  const std::vector<bool> of_trouble = TemplatesOfTrouble(logs);
  for (size_t row = 0; row < logs.Size(); ++row) {
    const int64_t time_ns = logs.time_ns[row];
    if (time_ns <= 0 || !of_trouble[logs.template_row[row]]) continue;
    const std::string_view text = logs.Text(row);
    if (HasAny(text, kConnecting)) {
      const auto [begin, is_new] = begin_ns.try_emplace(logs.source[row], time_ns);
      // Earlier attempts ended without a message.
      if (!is_new && text.find(kFirstConnection) != std::string_view::npos) begin->second = time_ns;
    } else if (const auto begin = begin_ns.find(logs.source[row]);
               begin != begin_ns.end() && HasAny(text, kConnected)) {
      const int64_t wait_ns = std::max<int64_t>(0, time_ns - begin->second);
      ++waits.count;
      AddSaturated(wait_ns, &waits.wait_ns);
      waits.longest_ns = std::max(waits.longest_ns, wait_ns);
      begin_ns.erase(begin);
    }
  }
  return waits;
}

}  // namespace

std::optional<Finding> FindCatalogWaits(const FindingInput& input) {
  const CatalogWaits waits = WaitsIn(input.application.logs);
  if (waits.wait_ns < kLeastWaitNs) return std::nullopt;
  const double share = Share(waits.wait_ns, input.duration_ns);
  if (!input.IsExcerpt() && share < kNoticeable) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Waiting for the Hive metastore takes {}", FormatDuration(waits.wait_ns));
  finding.what = fmt::format("By the logs, connecting to the Hive metastore took {} in {}",
                             FormatDuration(waits.wait_ns), Counted(waits.count, "wait"));
  finding.evidence = fmt::format("the longest took {}; each from the first attempt to the connection",
                                 FormatDuration(waits.longest_ns));
  finding.condition = fmt::format(
      "By the logs, connecting to the Hive metastore takes at least {}, and {} of the duration unless the logs are an "
      "excerpt",
      FormatDuration(kLeastWaitNs), FormatShare(kNoticeable));
  finding.selection.event = EventName(Event::kWall);
  finding.selection.executor = "driver";
  finding.change =
      "Check the load of the metastore and of its database, and the network to it. Name several metastores "
      "(spark.hadoop.hive.metastore.uris), and ask for fewer partitions and tables at once";
  if (!input.IsExcerpt()) finding.claim = ClaimWall(std::min(waits.wait_ns, input.duration_ns), kSome);
  return finding;
}

}  // namespace sparkprof
