// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "base/saturate.h"
#include "catalogue/catalogue_entry.h"
#include "catalogue/catalogue_sql.h"
#include "model/samples/stack_tables.h"
#include "profiles/frame_origin.h"

namespace sparkprof {
namespace {

// The size of a sample is its weight, or its count if the event has no weights.
bool HasWeights(const std::vector<Sample>& samples, EventId event) {
  for (const Sample& sample : samples) {
    if (sample.event == event && sample.weight != 0) return true;
  }
  return false;
}

double SizeOf(const Sample& sample, bool by_weight) {
  return std::abs(static_cast<double>(by_weight ? sample.weight : sample.count));
}

// Maps each stack to its replacement in the totals of `event`: itself, or "[rare stacks]" below its nearest caller that
// is not rare.
std::vector<StackId> WithoutRare(const std::vector<Sample>& samples, EventId event, double rare_share,
                                 Profile* profile) {
  const size_t count = profile->stacks.Size();
  std::vector<double> sizes(count);
  const bool by_weight = HasWeights(samples, event);
  for (const Sample& sample : samples) {
    if (sample.event == event) sizes[sample.stack] += SizeOf(sample, by_weight);
  }
  for (size_t id = count - 1; id > 0; --id) sizes[profile->stacks.Get(static_cast<StackId>(id)).parent] += sizes[id];
  const double least = sizes[0] * rare_share;
  std::vector<StackId> stands_for(count);
  FrameId rare = 0;
  for (StackId id = 1; id < count; ++id) {
    const StackId parent = profile->stacks.Get(id).parent;
    const StackId known = stands_for[parent];
    if (known != parent) {
      stands_for[id] = known;  // its caller is rare
    } else if (sizes[id] >= least) {
      stands_for[id] = id;
    } else if (sizes[id] > 0) {
      if (rare == 0) {
        rare =
            profile->frames.Intern({.name = profile->strings.Intern("[rare stacks]"), .kind = FrameKind::kSynthetic});
      }
      stands_for[id] = profile->stacks.Push(parent, rare);
    }
  }
  return stands_for;
}

}  // namespace

void AddStackTotals(const Profile& profile, int64_t start_ns, double rare_share, CatalogueEntry* entry) {
  Profile& lineless = entry->stacks;
  StackCopier copier(profile, &lineless);
  copier.DropLines();
  copier.NameFiles(LastingFile);
  SampleTable<Sample> sums;
  for (const Sample& sample : profile.samples) {
    if (sample.category == Category::kIdlePool) continue;
    const int64_t time_ns = sample.time_ns == kNoTime ? start_ns : sample.time_ns;
    sums.Add({.stack = copier.Copy(sample.stack),
              .event = sample.event,
              .time_ns = HourOf(time_ns) * kHourNs,
              .weight = sample.weight,
              .count = sample.count});
  }
  const std::vector<Sample> samples = sums.Take();
  SampleTable<Sample> common;
  for (EventId event = 0; event < profile.EventCount(); ++event) {
    const std::vector<StackId> stands_for = WithoutRare(samples, event, rare_share, &lineless);
    for (Sample sample : samples) {
      if (sample.event != event) continue;
      sample.stack = stands_for[sample.stack];
      common.Add(sample);
    }
  }
  lineless.events = profile.events;
  for (const Sample& sample : common.Rows()) {
    entry->totals.push_back({sample.time_ns, sample.event, sample.stack, sample.weight, sample.count});
  }
}

}  // namespace sparkprof
