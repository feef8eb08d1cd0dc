// SPDX-License-Identifier: Apache-2.0
#include "formats/thread_dump/thread_samples.h"

namespace sparkprof {

ThreadSamples::ThreadSamples(ProfileBuilder* builder)
    : builder_(builder),
      samples_(builder->AddEvent("samples", "count")),
      runnable_(builder->AddEvent("runnable", "count")) {
  builder->profile().default_event = samples_;
}

void ThreadSamples::Add(const DumpedThread& thread) {
  if (thread.leaf_first.empty()) return;
  Sample sample{.event = samples_, .time_ns = thread.time_ns, .weight = 1, .count = 1};
  sample.state = thread.is_runnable ? ThreadState::kRunning : ThreadState::kSleeping;
  StackTable& stacks = builder_->profile().stacks;
  if (thread.is_truncated) {
    sample.stack = stacks.Push(sample.stack, builder_->AddFrame("[truncated]", FrameKind::kSynthetic));
  }
  for (size_t i = thread.leaf_first.size(); i > 0; --i) {
    sample.stack = stacks.Push(sample.stack, thread.leaf_first[i - 1]);
  }
  sample.thread = builder_->AddThread(thread.thread);
  builder_->Add(sample);
  if (!thread.is_runnable) return;
  sample.event = runnable_;
  builder_->Add(sample);
}

}  // namespace sparkprof
