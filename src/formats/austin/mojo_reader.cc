// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/hash_index.h"
#include "base/io/input_buffer.h"
#include "formats/austin/austin_samples.h"
#include "formats/readers.h"

namespace sparkprof {
namespace {

constexpr std::string_view kMojoMagic = "MOJ";
constexpr int64_t kNewestVersion = 4, kFirstVersionWithRepeats = 4;
constexpr size_t kBlock = size_t{64} << 10, kLongestEvent = size_t{1} << 20;

enum MojoEvent : uint8_t {
  kMetadata = 1,
  kMojoStack,
  kFrame,
  kInvalidFrame,
  kFrameReference,
  kKernelFrame,
  kMojoGarbageCollection,
  kIdle,
  kTime,
  kMemory,
  kString,
  kStringReference,
  kRepeat,
};

// Reads an event's parts; `ok` is false when they go beyond the bytes.
struct MojoCursor {
  std::string_view bytes;
  size_t at = 0;
  bool ok = true;

  // Six bits with a sign in the first byte, then seven bits in each, low bits first.
  int64_t Integer() {
    uint64_t number = 0;
    bool is_negative = false;
    for (int shift = 0;; shift += shift == 0 ? 6 : 7) {
      if (at >= bytes.size()) {
        ok = false;
        return 0;
      }
      const auto byte = static_cast<unsigned char>(bytes[at++]);
      if (shift == 0) is_negative = (byte & 0x40) != 0;
      if (shift < 64) number |= static_cast<uint64_t>(byte & (shift == 0 ? 0x3f : 0x7f)) << shift;
      if ((byte & 0x80) == 0) break;
    }
    const auto value = static_cast<int64_t>(number & INT64_MAX);
    return is_negative ? -value : value;
  }

  std::string_view Text() {
    const size_t end = bytes.find('\0', at);
    if (end == std::string_view::npos) {
      ok = false;
      return {};
    }
    const std::string_view text = bytes.substr(at, end - at);
    at = end + 1;
    return text;
  }
};

struct KeyHash {
  size_t operator()(const std::pair<int64_t, int64_t>& key) const {
    return MixHash(MixHash(static_cast<uint64_t>(key.first)) ^ static_cast<uint64_t>(key.second));
  }
};

// MOJO, the binary format of austin (-b; the default since 4.0), versions 1 to 4: "MOJ", the version, and events of one
// byte with integers of variable length and texts that end in a zero byte:
//     1 metadata: key, value        2 stack, begins a sample: process, [interpreter], thread in hexadecimal
//     3 frame: key, file, function, line, [last line, column, last column]       5 frame of this sample: key
//     4 invalid frame               6 kernel frame: name           7 garbage collection     8 idle
//     9 time                       10 memory                      11 string: key, text     12 string of this sample
//    13 the previous sample of this thread, without native frames at its end, has the frames below those so far
// Keys belong to a process. Version 1 has no columns, versions 1 and 2 have no interpreter. See AustinSamples for the
// events of the profile.
class MojoReader {
 public:
  MojoReader(std::unique_ptr<ByteSource> source, ProfileBuilder* builder)
      : input_(std::move(source), builder->options().name), builder_(builder), samples_(builder) {}

  Result<void> Read() {
    MojoCursor head{input_.Peek(kBlock), kMojoMagic.size()};
    if (!head.bytes.starts_with(kMojoMagic)) return builder_->Damaged("offset 0: expected MOJ, found other bytes");
    version_ = head.Integer();
    if (!head.ok || version_ < 1 || version_ > kNewestVersion) {
      return builder_->Damaged(
          fmt::format("offset 3: expected version 1 to {} of MOJO, found {}", kNewestVersion, version_));
    }
    input_.Consume(head.at);
    Result<void> outcome;
    while (outcome) {
      MojoCursor event{input_.Peek(kBlock)};
      // A truncated event is parsed again from a larger block.
      while (event.at < event.bytes.size() && outcome) {
        const size_t begin = event.at;
        problem_ = {};
        AddEvent(&event);
        if (!event.ok && begin > 0) {
          event.at = begin;
          break;
        }
        if (!event.ok) {
          event = {input_.Peek(kLongestEvent)};
          AddEvent(&event);
          if (!event.ok) problem_ = "a complete event";
        }
        if (!problem_.empty()) outcome = Damage(event.ok ? begin : 0);
        if (!event.ok || must_stop_) return EndSample(outcome);
      }
      if (event.bytes.empty()) break;
      input_.Consume(event.at);
    }
    if (outcome && input_.SourceError()) outcome = builder_->Damaged(input_.SourceError()->message);
    return EndSample(outcome);
  }

 private:
  // StringIds and FrameIds by process and its own key.
  using Definitions = std::unordered_map<std::pair<int64_t, int64_t>, uint32_t, KeyHash>;
  static constexpr int64_t kAnyProcess = -1;

  struct RunningSample {
    int64_t process = 0;
    std::string thread;
    StackId stack = 0;  // repeated from the previous sample, below `frames`
    std::vector<FrameId> frames;
    AustinMetrics metrics;
    bool has_metrics = false;  // a truncated one may have none
  };

  Result<void> Damage(size_t at) {
    return builder_->Damaged(
        fmt::format("offset {}: expected {}", input_.Offset() + static_cast<int64_t>(at), problem_));
  }

  Result<void> EndSample(Result<void> outcome) {
    if (outcome) EndSample();
    return outcome;
  }

  // Changes nothing unless the event is complete.
  void AddEvent(MojoCursor* event) {
    const auto type = static_cast<unsigned char>(event->bytes[event->at++]);
    std::array<int64_t, 7> numbers{};
    const auto read_numbers = [&](size_t count) {
      for (size_t i = 0; i < count && event->ok; ++i) numbers[i] = event->Integer();
      return event->ok;
    };
    switch (type) {
      case kMetadata: {
        const std::string_view key = event->Text(), value = event->Text();
        if (event->ok) samples_.SetMetadata(key, value);
        return;
      }
      case kMojoStack: {
        read_numbers(version_ >= 3 ? 2 : 1);
        const std::string_view thread = event->Text();
        if (!event->ok) return;
        EndSample();
        in_sample_ = true;
        sample_.process = numbers[0];
        sample_.thread = thread;
        return;
      }
      case kFrame:
        if (read_numbers(version_ >= 2 ? 7 : 4)) AddFrame(numbers);
        return;
      case kInvalidFrame:
        AddFrame(samples_.SpecialFrame("INVALID"));
        return;
      case kFrameReference:
        if (read_numbers(1)) AddFrameReference(numbers[0]);
        return;
      case kKernelFrame: {
        const std::string_view name = event->Text();
        if (event->ok) AddFrame(builder_->AddFrame(name, FrameKind::kKernel));
        return;
      }
      case kMojoGarbageCollection:
        AddFrame(samples_.SpecialFrame("GC"));
        return;
      case kIdle:
        sample_.metrics.is_idle = true;
        return;
      case kTime:
        if (read_numbers(1)) sample_.metrics.micros = numbers[0];
        sample_.has_metrics = sample_.has_metrics || event->ok;
        return;
      case kMemory:
        if (read_numbers(1)) sample_.metrics.bytes = numbers[0];
        sample_.has_metrics = sample_.has_metrics || event->ok;
        return;
      case kString: {
        read_numbers(1);
        const std::string_view text = event->Text();
        if (event->ok) Define(&strings_, numbers[0], builder_->profile().strings.Intern(text));
        return;
      }
      case kStringReference:
        read_numbers(1);
        return;
      case kRepeat:
        RepeatPrevious();
        return;
      default:
        // Events have no length: nothing after an unknown one can be read.
        problem_ = fmt::format("an event from {} to {}, found {}", int{kMetadata}, int{kRepeat}, type);
        must_stop_ = true;
    }
  }

  // In the output of austinp, frames come before the stack that names their process.
  void Define(Definitions* definitions, int64_t key, uint32_t row) const {
    (*definitions)[{sample_.process, key}] = (*definitions)[{kAnyProcess, key}] = row;
  }
  const uint32_t* Find(const Definitions& definitions, int64_t key) const {
    auto found = definitions.find({sample_.process, key});
    if (found == definitions.end()) found = definitions.find({kAnyProcess, key});
    return found == definitions.end() ? nullptr : &found->second;
  }

  std::string_view Text(int64_t key) {
    constexpr int64_t kEmpty = 0, kUnknown = 1;
    if (key == kUnknown) return "<unknown>";
    const StringId* const found = Find(strings_, key);
    if (found == nullptr) {
      if (key != kEmpty) problem_ = fmt::format("a known string, found {}", key);
      return {};
    }
    return builder_->profile().strings.Get(*found);
  }

  void AddFrame(const std::array<int64_t, 7>& numbers) {
    const std::string_view file = Text(numbers[1]), function = Text(numbers[2]);
    Define(&frames_, numbers[0], samples_.FrameOf(file, function, numbers[3]));
  }

  void AddFrame(FrameId frame) {
    if (!in_sample_) {
      problem_ = "a stack before its frames";
      return;
    }
    sample_.frames.push_back(frame);
  }

  void AddFrameReference(int64_t key) {
    const FrameId* const found = Find(frames_, key);
    if (found == nullptr) problem_ = fmt::format("a known frame, found {}", key);
    AddFrame(found == nullptr ? builder_->AddFrame("[unknown]") : *found);
  }

  void RepeatPrevious() {
    const StackTable& stacks = builder_->profile().stacks;
    const auto found = previous_.find({sample_.process, sample_.thread});
    if (found == previous_.end()) return;
    StackId base = found->second;
    while (base != 0 && builder_->profile().frames.Get(stacks.Get(base).frame).kind != FrameKind::kPython) {
      base = stacks.Get(base).parent;
    }
    sample_.stack = base;
  }

  void EndSample() {
    if (!in_sample_) return;
    in_sample_ = false;
    StackId stack = sample_.stack;
    for (const FrameId frame : sample_.frames) stack = builder_->profile().stacks.Push(stack, frame);
    if (sample_.has_metrics) samples_.Add(stack, sample_.process, sample_.thread, 16, sample_.metrics);
    if (version_ >= kFirstVersionWithRepeats) previous_[{sample_.process, sample_.thread}] = stack;
    sample_.stack = 0;
    sample_.frames.clear();
    sample_.metrics = {};
    sample_.has_metrics = false;
  }

  InputBuffer input_;
  ProfileBuilder* builder_;
  AustinSamples samples_;
  int64_t version_ = 0;
  std::string problem_;     // damage of the last event; "" = none
  bool must_stop_ = false;  // after it
  bool in_sample_ = false;
  RunningSample sample_;
  Definitions strings_;
  Definitions frames_;
  std::map<std::pair<int64_t, std::string>, StackId> previous_;  // by process and thread
};

}  // namespace

bool LooksLikeMojo(std::string_view head) {
  return head.size() > kMojoMagic.size() && head.starts_with(kMojoMagic) && head[kMojoMagic.size()] > 0 &&
         head[kMojoMagic.size()] <= kNewestVersion;
}

Result<void> ReadMojo(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  return MojoReader(std::move(source), builder).Read();
}

}  // namespace sparkprof
