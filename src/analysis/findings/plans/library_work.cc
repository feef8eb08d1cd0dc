// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/findings/rules.h"
#include "base/text/text.h"
#include "libraries/libraries.h"

namespace sparkprof {

std::optional<Finding> FindLibraryWork(const FindingInput& input) {
  struct Work {
    std::string_view library, change;
    std::vector<int64_t> stages;
    int64_t time_ns = 0;
  };
  std::map<std::string, Work> by_line;
  for (size_t row = 0; row < input.stages.size(); ++row) {
    const WorkName& name = input.names.stages[row];
    if (name.library.empty() || input.stages[row].wall_ns == 0) continue;
    Work& work = by_line[name.line];
    work.library = name.library;
    // "Deequ: profiling columns"
    work.change = ChangeOfOperation(name.library, std::string_view(name.line).substr(name.library.size() + 2));
    if (work.change.empty()) continue;
    work.stages.push_back(input.application.stages[row].id);
    work.time_ns += input.stages[row].wall_ns;
  }
  const auto most = std::max_element(by_line.begin(), by_line.end(),
                                     [](const auto& a, const auto& b) { return a.second.time_ns < b.second.time_ns; });
  if (most == by_line.end()) return std::nullopt;
  const auto& [line, work] = *most;
  const double share = Share(work.time_ns, input.duration_ns);
  if (share < kMuchOfTime) return std::nullopt;
  const auto count = static_cast<int64_t>(work.stages.size());
  Finding finding;
  finding.title = fmt::format("{} takes {} of the time", line, FormatShare(share));
  finding.what = fmt::format("The program calls {}, which runs {}", work.library, Counted(count, "stage"));
  finding.evidence = fmt::format("these stages take {}", FormatDuration(work.time_ns));
  finding.condition =
      fmt::format("The stages of a library's operation for which sparkprof has advice take at least {} of the duration",
                  FormatShare(kMuchOfTime));
  finding.selection.event = EventName(Event::kCpu);
  finding.stages = work.stages;
  finding.change = work.change;
  // A setting turns the operation off.
  finding.claim = ClaimStages(input, work.stages, work.time_ns, kSome);
  return finding;
}

}  // namespace sparkprof
