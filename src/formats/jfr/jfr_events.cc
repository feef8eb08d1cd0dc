// SPDX-License-Identifier: Apache-2.0
#include "formats/jfr/jfr_events.h"

#include <algorithm>
#include <string_view>

#include "base/saturate.h"
#include "base/time.h"

namespace sparkprof {
namespace {

// The used types are built into their writers and have small ids: up to about 2,000 in the JDK.
constexpr uint64_t kMaxTypeId = 0xFFFF;
// Thread states have small keys (the JDK has a dozen); others are damage.
constexpr uint64_t kMaxThreadState = 255;

ThreadState ParseState(std::string_view name) {
  if (name == "STATE_RUNNABLE") return ThreadState::kRunning;
  if (name == "STATE_DEFAULT" || name == "STATE_NEW" || name == "STATE_TERMINATED" || name.empty()) {
    return ThreadState::kUnknown;
  }
  return ThreadState::kSleeping;  // STATE_SLEEPING, and the JDK's STATE_PARKED, STATE_IN_OBJECT_WAIT, …
}

}  // namespace

struct JfrEvents::Kind {
  std::string_view name;
  void (JfrEvents::*emit)();
};

const JfrEvents::Kind JfrEvents::kKinds[] = {
    {"jdk.ExecutionSample", &JfrEvents::EmitExecutionSample},
    {"jdk.NativeMethodSample", &JfrEvents::EmitNativeMethodSample},
    {"jdk.CPUTimeSample", &JfrEvents::EmitCpuTimeSample},
    {"profiler.WallClockSample", &JfrEvents::EmitWallClockSample},
    {"jdk.ObjectAllocationInNewTLAB", &JfrEvents::EmitAllocationInNewTlab},
    {"jdk.ObjectAllocationOutsideTLAB", &JfrEvents::EmitAllocationOutsideTlab},
    {"jdk.ObjectAllocationSample", &JfrEvents::EmitAllocationSample},
    {"profiler.LiveObject", &JfrEvents::EmitLiveObject},
    {"jdk.JavaMonitorEnter", &JfrEvents::EmitLock},
    {"jdk.ThreadPark", &JfrEvents::EmitPark},
    {"profiler.NativeLock", &JfrEvents::EmitNativeLock},
    {"profiler.Malloc", &JfrEvents::EmitMalloc},
    {"profiler.Free", &JfrEvents::EmitFree},
    {"jdk.MethodTrace", &JfrEvents::EmitMethodTrace},
    {"profiler.Span", &JfrEvents::EmitSpan},
    {"jdk.GCHeapSummary", &JfrEvents::EmitHeapSummary},
    {"jdk.ActiveSetting", &JfrEvents::EmitSetting},
};

JfrEvents::JfrEvents(const JfrChunkHeader* header, const JfrMetadata* metadata, JfrPlanTable* plans,
                     JfrConstants* constants, JfrStacks* stacks, StringTable* strings, JfrHandler* handler,
                     bool* engine_is_wall)
    : header_(header),
      metadata_(metadata),
      plans_(plans),
      constants_(constants),
      stacks_(stacks),
      strings_(strings),
      handler_(handler),
      engine_is_wall_(engine_is_wall),
      thread_pool_(constants->FindByName("java.lang.Thread")) {
  for (const JfrType& type : metadata->types) {
    if (type.id > kMaxTypeId) continue;
    const auto has_name = [&](const Kind& kind) { return kind.name == type.name; };
    const auto* const kind = std::find_if(std::begin(kKinds), std::end(kKinds), has_name);
    const JfrEventName* const other = FindJfrEventName(type.name);
    if ((kind == std::end(kKinds) && other == nullptr) || readers_.size() > kMaxTypeId / 2) continue;
    if (reader_by_type_.size() <= type.id) reader_by_type_.resize(type.id + 1, kNoReader);
    reader_by_type_[type.id] = static_cast<int16_t>(readers_.size());
    readers_.push_back({.plan = &plans->Get(plans->For(type.id)),
                        .emit = kind == std::end(kKinds) ? &JfrEvents::EmitOther : kind->emit,
                        .other = other,
                        .values = {}});
  }
  if (JfrPool* pool = constants->FindByName("jdk.types.ThreadState")) {
    std::string scratch;
    for (uint64_t key = 0; key <= kMaxThreadState; ++key) {
      const std::string_view name = constants->RecordText(pool, key, &scratch);
      has_default_state_ |= name == "STATE_DEFAULT";
      states_.push_back(ParseState(name));
    }
  }
}

void JfrEvents::Read(uint64_t type, JfrCursor* cursor, JfrChunkStatus* status) {
  if (type >= reader_by_type_.size() || reader_by_type_[type] == kNoReader) {
    ++status->unknown_events;
    return;
  }
  reader_ = &readers_[static_cast<size_t>(reader_by_type_[type])];
  status_ = status;
  if (reader_->plan->usable) plans_->Read(*reader_->plan, cursor, &reader_->values);
  if (!reader_->plan->usable || cursor->Failed()) {
    ++status->damaged_events;
    return;
  }
  (this->*reader_->emit)();
}

int64_t JfrEvents::Nanos(JfrRole role, JfrTimeUnit default_unit) const {
  const JfrStep* step = reader_->plan->Find(role);
  if (step == nullptr) return 0;
  const int64_t value = Value(role);
  switch (step->unit == JfrTimeUnit::kNone ? default_unit : step->unit) {
    case JfrTimeUnit::kNone:
    case JfrTimeUnit::kNanos:
      return value;
    case JfrTimeUnit::kTicks:
      return header_->TicksToNanos(value);
    case JfrTimeUnit::kMicros:
      return MultiplySaturated(value, kNanosPerMicro);
    case JfrTimeUnit::kMillis:
      return MultiplySaturated(value, kNanosPerMilli);
    case JfrTimeUnit::kSeconds:
      return MultiplySaturated(value, kNanosPerSecond);
  }
  return value;
}

std::string_view JfrEvents::Text(JfrRole role, std::string* scratch) {
  return constants_->Text(reader_->plan->Find(role), Value(role), scratch);
}

JfrEvents::Thread JfrEvents::CurrentThread() {
  const auto key = static_cast<uint64_t>(Value(JfrRole::kThread));
  if (key == 0) return {};
  JfrPool::Entry* entry = thread_pool_ == nullptr ? nullptr : thread_pool_->Find(key);
  // async-profiler's keys are the operating system's thread ids.
  if (entry == nullptr) return {stacks_->FromAsyncProfiler() ? static_cast<int64_t>(key) : 0, 0};
  if (entry->resolved == JfrPool::kNotResolved) {
    JfrValues values;
    constants_->ReadConstant(thread_pool_, key, &values);
    const JfrPlan& plan = thread_pool_->Plan();
    std::string scratch;
    std::string_view name = constants_->Text(plan.Find(JfrRole::kJavaName), values[JfrRole::kJavaName], &scratch);
    if (name.empty()) name = constants_->Text(plan.Find(JfrRole::kOsName), values[JfrRole::kOsName], &scratch);
    entry->resolved = static_cast<uint32_t>(threads_.size());
    threads_.push_back({values[JfrRole::kOsThreadId], strings_->Intern(name)});
  }
  return threads_[entry->resolved];
}

ThreadState JfrEvents::State() {
  const auto key = static_cast<uint64_t>(Value(JfrRole::kState));
  return key < states_.size() ? states_[key] : ThreadState::kUnknown;
}

JfrSample JfrEvents::Sample(Event event) {
  const Thread thread = CurrentThread();
  JfrSample sample;
  sample.event = event;
  sample.ticks = Value(JfrRole::kStartTime);
  sample.epoch_ns = Epoch();
  sample.tid = thread.tid;
  sample.thread_name = thread.name;
  if (const auto key = static_cast<uint64_t>(Value(JfrRole::kStackTrace)); key != 0) {
    const std::optional<StackId> stack = stacks_->Stack(key);
    if (!stack) ++status_->missing_stacks;
    sample.stack = stack.value_or(0);
  }
  return sample;
}

void JfrEvents::EmitExecutionSample() {
  const ThreadState state = State();
  JfrSample sample = Sample(IsWallClock(state) ? Event::kWall : Event::kCpu);
  sample.state = state == ThreadState::kUnknown ? ThreadState::kRunning : state;
  handler_->OnSample(sample);
}

// async-profiler before 4.0 (later with wall=nobatch) writes wall-clock samples as jdk.ExecutionSample. From 3.0 on,
// the state STATE_DEFAULT marks CPU samples; older versions record one of both.
bool JfrEvents::IsWallClock(ThreadState state) const {
  if (state == ThreadState::kSleeping) return true;
  if (!stacks_->FromAsyncProfiler()) return false;
  return has_default_state_ ? state == ThreadState::kRunning : *engine_is_wall_;
}

void JfrEvents::EmitNativeMethodSample() {
  JfrSample sample = Sample(Event::kWall);
  // The JDK reports RUNNABLE for every thread in native code, including those that wait in read() or epoll_wait().
  sample.state = State() == ThreadState::kSleeping ? ThreadState::kSleeping : ThreadState::kUnknown;
  handler_->OnSample(sample);
}

void JfrEvents::EmitCpuTimeSample() {
  JfrSample sample = Sample(Event::kCpu);
  sample.state = ThreadState::kRunning;
  sample.weight = Nanos(JfrRole::kSamplingPeriod, JfrTimeUnit::kTicks);
  handler_->OnSample(sample);
}

void JfrEvents::EmitWallClockSample() {
  JfrSample sample = Sample(Event::kWall);
  sample.state = State();
  sample.count = reader_->plan->Find(JfrRole::kSamples) == nullptr ? 1 : Value(JfrRole::kSamples);
  sample.duration_ns = Nanos(JfrRole::kTimeSpan, JfrTimeUnit::kTicks);
  handler_->OnSample(sample);
}

void JfrEvents::EmitAllocation(int64_t weight) {
  JfrSample sample = Sample(Event::kAlloc);
  sample.type = stacks_->ClassName(static_cast<uint64_t>(Value(JfrRole::kClass)));
  sample.weight = weight;
  sample.size = Value(JfrRole::kAllocationSize);
  handler_->OnSample(sample);
}

void JfrEvents::EmitAllocationInNewTlab() { EmitAllocation(Value(JfrRole::kTlabSize)); }
void JfrEvents::EmitAllocationOutsideTlab() { EmitAllocation(Value(JfrRole::kAllocationSize)); }
void JfrEvents::EmitAllocationSample() { EmitAllocation(Value(JfrRole::kWeight)); }

void JfrEvents::EmitLiveObject() {
  JfrSample sample = Sample(Event::kLive);
  sample.type = stacks_->ClassName(static_cast<uint64_t>(Value(JfrRole::kClass)));
  sample.weight = Value(JfrRole::kAllocationSize);
  if (reader_->plan->Find(JfrRole::kAllocationTime) != nullptr) {
    sample.ticks = Value(JfrRole::kAllocationTime);
    sample.epoch_ns = header_->TicksToEpoch(sample.ticks);
  }
  handler_->OnSample(sample);
}

void JfrEvents::EmitLock() {
  JfrSample sample = Sample(Event::kLock);
  sample.type = stacks_->ClassName(static_cast<uint64_t>(Value(JfrRole::kClass)));
  sample.duration_ns = sample.weight = Nanos(JfrRole::kDuration, JfrTimeUnit::kTicks);
  sample.state = ThreadState::kSleeping;
  sample.address = static_cast<uint64_t>(Value(JfrRole::kAddress));
  handler_->OnSample(sample);
}

void JfrEvents::EmitPark() {
  EmitLock();
  EmitOther();
}

void JfrEvents::EmitOther() {
  JfrSample sample = Sample(Event::kCpu);
  sample.type = stacks_->ClassName(static_cast<uint64_t>(Value(JfrRole::kClass)));
  if (reader_->other->lasts) sample.duration_ns = sample.weight = Nanos(JfrRole::kDuration, JfrTimeUnit::kTicks);
  handler_->OnOther(*reader_->other, sample);
}

void JfrEvents::EmitNativeLock() {
  JfrSample sample = Sample(Event::kNativeLock);
  sample.duration_ns = sample.weight = Nanos(JfrRole::kDuration, JfrTimeUnit::kTicks);
  sample.state = ThreadState::kSleeping;
  sample.address = static_cast<uint64_t>(Value(JfrRole::kAddress));
  handler_->OnSample(sample);
}

void JfrEvents::EmitMalloc() {
  JfrSample sample = Sample(Event::kMalloc);
  sample.weight = Value(JfrRole::kSize);
  sample.address = static_cast<uint64_t>(Value(JfrRole::kAddress));
  handler_->OnSample(sample);
}

void JfrEvents::EmitFree() {
  JfrSample sample = Sample(Event::kFree);
  sample.address = static_cast<uint64_t>(Value(JfrRole::kAddress));
  handler_->OnSample(sample);
}

void JfrEvents::EmitMethodTrace() {
  JfrSample sample = Sample(Event::kMethod);
  const auto method = static_cast<uint64_t>(Value(JfrRole::kMethod));
  sample.type = stacks_->MethodName(method);
  // The JDK writes the stack of the caller, async-profiler that of the method.
  if (!stacks_->FromAsyncProfiler()) sample.stack = stacks_->Call(sample.stack, method);
  sample.duration_ns = sample.weight = Nanos(JfrRole::kDuration, JfrTimeUnit::kTicks);
  handler_->OnSample(sample);
}

void JfrEvents::EmitSpan() {
  handler_->OnSpan({.ticks = Value(JfrRole::kStartTime),
                    .epoch_ns = Epoch(),
                    .duration_ns = Nanos(JfrRole::kDuration, JfrTimeUnit::kTicks),
                    .tid = CurrentThread().tid,
                    .tag = Text(JfrRole::kTag, &text_[0])});
}

void JfrEvents::EmitHeapSummary() {
  handler_->OnHeapSummary({.epoch_ns = Epoch(),
                           .gc_id = Value(JfrRole::kGcId),
                           .used_bytes = Value(JfrRole::kHeapUsed),
                           .committed_bytes = Value(JfrRole::kHeapCommitted),
                           .after_gc = Text(JfrRole::kWhen, &text_[0]) == "After GC"});
}

void JfrEvents::EmitSetting() {
  const JfrType* event = metadata_->Find(static_cast<uint64_t>(Value(JfrRole::kId)));
  const JfrSetting setting{.event = event == nullptr ? std::string_view() : event->name,
                           .name = Text(JfrRole::kName, &text_[0]),
                           .value = Text(JfrRole::kValue, &text_[1])};
  if (setting.event == "jdk.ActiveRecording" && setting.name == "event") *engine_is_wall_ = setting.value == "wall";
  handler_->OnSetting(setting);
}

}  // namespace sparkprof
