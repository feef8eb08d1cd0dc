// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analysis/findings/rules.h"
#include "analysis/findings/scheduling/driver_work.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr int64_t kShortJobNs = 120 * kNanosPerSecond;  // longer applications are warm most of the time

// CPU time in the JVMs' samples, in ns.
struct WarmUp {
  int64_t cpu_ns = 0;
  int64_t jit_ns = 0;
  int64_t classes_ns = 0;
};

WarmUp WarmUpOf(const FindingInput& input) {
  const Profile& profile = input.application.profile;
  const EventId cpu = profile.Row(Event::kCpu);
  const std::vector<bool> loads_class = LoadsClass(profile);
  WarmUp spent;
  for (const Sample& sample : profile.samples) {
    if (sample.event != cpu) continue;
    spent.cpu_ns += sample.weight;
    if (input.kinds[sample.stack] == StackKind::kJit) {
      spent.jit_ns += sample.weight;
    } else if (loads_class[sample.stack]) {
      spent.classes_ns += sample.weight;
    }
  }
  return spent;
}

}  // namespace

std::optional<Finding> FindWarmUp(const FindingInput& input) {
  // A sample without tasks belongs to another program, whose warm-up does not depend on Spark.
  if (input.application.tasks.Size() == 0 || input.duration_ns > kShortJobNs) return std::nullopt;
  const WarmUp spent = WarmUpOf(input);
  const double share = Share(spent.jit_ns + spent.classes_ns, spent.cpu_ns);
  if (spent.jit_ns + spent.classes_ns < kWorthwhileNs || share < kMostOfCode) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("The JVMs spend {} of their CPU time on warming up", FormatShare(share));
  finding.is_context = true;
  finding.what =
      fmt::format("Compiling code took {} and loading classes {} of {} CPU time", FormatDuration(spent.jit_ns),
                  FormatDuration(spent.classes_ns), FormatDuration(spent.cpu_ns));
  finding.evidence = "CPU samples of compiler threads, and of stacks that load classes";
  finding.condition = fmt::format(
      "In an application of at most {}, compiling and loading classes take at least {} of the JVMs' CPU time",
      FormatDuration(kShortJobNs), FormatShare(kMostOfCode));
  finding.selection.event = EventName(Event::kCpu);
  finding.change =
      "Run several short jobs in one application, or keep a Spark Connect server running. One long job is not affected";
  return finding;
}

}  // namespace sparkprof
