// SPDX-License-Identifier: Apache-2.0
#include "analysis/selection/stack_kinds.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/saturate.h"
#include "base/text/contains.h"
#include "engines/engines.h"
#include "profiles/frame_origin.h"

namespace sparkprof {
namespace {

// The contribution of a frame, or of any above it.
enum Mark : uint16_t {
  kPythonReader = 1,  // BasePythonRunner's ReaderIterator.hasNext
  kSocketRead = 2,    // a read of the worker's socket
  kWaitForPython = 4,
  kGcThread = 8,
  kJitThread = 16,
  kPythonWriter = 32,
  kInsideVm = 64,
  kWorkerFactory = 128,  // Spark starts Python workers
  kInEngine = 256,       // the frame in which a task waits for its native engine
  kEngineThread = 512,   // root of an engine thread's own work
};

// Complete names, or the part after the package of a Java method.
constexpr std::string_view kSocketReads[] = {"epoll_wait",
                                             "epoll_pwait",
                                             ".EPoll.wait",
                                             ".socketRead0",
                                             ".SocketDispatcher.read0",
                                             "SocketDispatcher_read0",
                                             "NET_Read",
                                             "__recv",
                                             "recv",
                                             "__poll",
                                             "poll",
                                             "read"};
// Below these frames the thread computes data for Python, so it does not wait: Spark 4.1 uses one thread for both.
constexpr std::string_view kWriters[] = {"PythonRunner$Writer", ".writeNextInputToStream", ".writeIteratorToStream",
                                         ".writeNextBatchToArrowStream"};
constexpr std::string_view kGcFrames[] = {"GCTaskThread::run",       "GangWorker::run",
                                          "AbstractGangWorker::run", "ConcurrentGCThread::run",
                                          "WorkerThread::run",       "G1ServiceThread::run_service",
                                          "GangWorker::loop",        "G1ParTask::work"};
constexpr std::string_view kJitFrames[] = {"CompileBroker::compiler_thread_loop",
                                           "CompileBroker::invoke_compiler_on_method"};

// Name prefixes: a thread that sleeps below them does not sleep because of its own code.
constexpr std::string_view kVmFrames[] = {
    "MemAllocator::",       "CollectedHeap::",        "G1CollectedHeap::",    "ParallelScavengeHeap::",
    "GenCollectedHeap::",   "SerialHeap::",           "ShenandoahHeap::",     "ZHeap::",
    "SafepointMechanism::", "SafepointSynchronize::", "VMThread::execute",    "CompileBroker::compile_method",
    "Mutex::lock",          "MutexLocker::",          "VM_CollectForMetadata"};

// Operations of HotSpot's VM thread that collect garbage: all of the serial collector, pauses of the others.
bool IsCollection(std::string_view name) {
  constexpr std::string_view kBegin = "VM_", kEnd = "::doit";
  if (!name.starts_with(kBegin) || !name.ends_with(kEnd) || name.starts_with("VM_GC_HeapInspection")) return false;
  for (const std::string_view part : {"Collect", "GC", "G1", "CMS", "VM_Z", "VM_X", "Shenandoah"}) {
    if (Contains(name, part)) return true;
  }
  return false;
}

bool FrameContains(std::string_view text, std::string_view part) { return Contains(text, part); }

uint16_t MarksOf(std::string_view name, FrameKind kind) {
  if (kind == FrameKind::kSynthetic) {
    return name == "[waiting for Python]" ? kWaitForPython : name == kEngineThreadFrame ? kEngineThread : 0;
  }
  uint16_t marks = 0;
  if (FrameContains(name, "PythonRunner$ReaderIterator.hasNext")) marks |= kPythonReader;
  if (FrameContains(name, "api.python.PythonWorkerFactory")) marks |= kWorkerFactory;
  if (IsEngineWait(name)) marks |= kInEngine;
  for (const std::string_view read : kSocketReads) {
    if (name == read || (read.front() == '.' && name.ends_with(read))) marks |= kSocketRead;
  }
  for (const std::string_view writer : kWriters) marks |= FrameContains(name, writer) ? kPythonWriter : 0;
  if (kind == FrameKind::kNative) {
    for (const std::string_view frame : kGcFrames) marks |= name == frame ? kGcThread : 0;
    for (const std::string_view frame : kVmFrames) marks |= name.starts_with(frame) ? kInsideVm : 0;
    if (IsCollection(name)) marks |= kGcThread;
    for (const std::string_view frame : kJitFrames) marks |= name == frame ? kJitThread : 0;
  }
  return marks;
}

StackKind KindOf(uint16_t marks) {
  if ((marks & kWaitForPython) != 0 || (marks & (kPythonReader | kSocketRead)) == (kPythonReader | kSocketRead)) {
    return StackKind::kPythonWait;
  }
  if ((marks & kWorkerFactory) != 0) return StackKind::kPythonStart;
  if ((marks & kEngineThread) != 0) return StackKind::kEngine;
  if ((marks & kInEngine) != 0) return StackKind::kEngineWait;
  if ((marks & kJitThread) != 0) return StackKind::kJit;
  if ((marks & kGcThread) != 0) return StackKind::kGc;
  return (marks & kInsideVm) != 0 ? StackKind::kVmWait : StackKind::kOther;
}

bool IsMachine(FrameKind kind) { return kind == FrameKind::kKernel || kind == FrameKind::kNative; }

std::string WaitText(const Application& application, StackId stack) {
  const Profile& profile = application.profile;
  const auto frame = [&](StackId id) -> const Frame& { return profile.frames.Get(profile.stacks.Get(id).frame); };
  const auto name = [&](StackId id) { return profile.strings.Get(frame(id).name); };
  while (stack != 0 && IsMachine(frame(stack).kind)) stack = profile.stacks.Get(stack).parent;
  if (stack == 0) return {};
  StackId caller = stack;
  while (caller != 0 && OriginOf(name(caller), {}, frame(caller).kind) == FrameOrigin::kJdk)
    caller = profile.stacks.Get(caller).parent;
  const std::string label = FrameLabel(profile.strings, frame(stack));
  if (caller == 0 || caller == stack) return label;
  return fmt::format("{} below {}", label, FrameLabel(profile.strings, frame(caller)));
}

}  // namespace

std::vector<StackKind> KindsOfStacks(const Application& application) {
  const FrameTable& frames = application.profile.frames;
  std::vector<uint16_t> of_frame(frames.Size());
  for (size_t id = 1; id < of_frame.size(); ++id) {
    const Frame& frame = frames.Get(static_cast<FrameId>(id));
    of_frame[id] = MarksOf(application.profile.strings.Get(frame.name), frame.kind);
  }
  std::vector<uint16_t> marks(application.profile.stacks.Size());
  std::vector<StackKind> kinds(marks.size(), StackKind::kOther);
  for (size_t id = 1; id < marks.size(); ++id) {
    const StackTable::Node& node = application.profile.stacks.Get(static_cast<StackId>(id));
    const uint16_t own = of_frame[node.frame];
    uint16_t above = marks[node.parent];
    if ((own & kPythonReader) != 0) above &= static_cast<uint16_t>(~(kSocketRead | kPythonWriter));
    if ((own & kPythonWriter) != 0) above &= static_cast<uint16_t>(~(kSocketRead | kPythonReader));
    marks[id] = own | above;
    if ((marks[id] & kPythonReader) == 0) marks[id] &= static_cast<uint16_t>(~kSocketRead);
    kinds[id] = KindOf(marks[id]);
  }
  return kinds;
}

int64_t CpuOfEngines(const Application& application) {
  const Profile& profile = application.profile;
  FrameId engine = 0;
  for (size_t id = 1; id < profile.frames.Size(); ++id) {
    const Frame& frame = profile.frames.Get(static_cast<FrameId>(id));
    if (frame.kind != FrameKind::kSynthetic || profile.strings.Get(frame.name) != kEngineThreadFrame) continue;
    engine = static_cast<FrameId>(id);
    break;
  }
  if (engine == 0) return 0;
  std::vector<bool> is_engine(profile.stacks.Size());
  for (size_t id = 1; id < is_engine.size(); ++id) {
    const StackTable::Node& node = profile.stacks.Get(static_cast<StackId>(id));
    is_engine[id] = is_engine[node.parent] || node.frame == engine;
  }
  const EventId cpu = profile.Row(Event::kCpu);
  int64_t sum = 0;
  for (const Sample& sample : profile.samples) {
    if (sample.event == cpu && sample.task != 0 && is_engine[sample.stack]) AddSaturated(sample.weight, &sum);
  }
  return sum;
}

std::vector<WaitPlace> PlacesOf(const Application& application, const std::map<StackId, int64_t>& weight_of_stacks) {
  std::map<std::string, int64_t> by_text;
  for (const auto& [stack, weight] : weight_of_stacks) by_text[WaitText(application, stack)] += weight;
  by_text.erase("");
  std::vector<WaitPlace> places;
  for (const auto& [text, weight] : by_text) places.push_back({text, weight});
  std::ranges::stable_sort(places, std::greater(), &WaitPlace::weight_ns);
  return places;
}

}  // namespace sparkprof
