// SPDX-License-Identifier: Apache-2.0
#include "profiles/profile_transform.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <tuple>

#include "base/flat_table.h"
#include "base/saturate.h"
#include "base/text/characters.h"
#include "base/text/text.h"
#include "join/python_phase.h"
#include "model/samples/profile_builder.h"
#include "model/stable_name.h"
#include "profiles/frame_origin.h"

namespace sparkprof {
namespace {

constexpr size_t kKinds = static_cast<size_t>(FrameKind::kSynthetic) + 1;

// StableName, also without the numbers that it keeps: those of whole-stage code generation and JDK 8's lambdas.
std::string NameWithoutNumbers(std::string_view name) {
  constexpr std::string_view kStage = "ForCodegenStage", kLambda = "$$Lambda/";
  std::string text = StableName(name);
  for (const std::string_view part : {kStage, kLambda}) {
    const size_t found = text.find(part);
    if (found == std::string::npos) continue;
    const size_t begin = found + part.size();
    const bool is_hex = text.compare(begin, 2, "0x") == 0;  // too short for an address in StableName
    size_t end = begin + (is_hex ? 2 : 0);
    while (end < text.size() &&
           (is_hex ? std::isxdigit(static_cast<unsigned char>(text[end])) != 0 : IsDigit(text[end]))) {
      ++end;
    }
    if (end > begin) text.erase(part == kLambda ? begin - 1 : begin, part == kLambda ? end - begin + 1 : end - begin);
  }
  return text;
}

// An expression matched against labels; empty matches nothing.
class Pattern {
 public:
  static Result<Pattern> Compile(const std::string& text) {
    Pattern pattern;
    if (text.empty()) return pattern;
    RE2::Options options;
    options.set_log_errors(false);
    pattern.expression_ = std::make_unique<RE2>(text, options);
    if (!pattern.expression_->ok()) {
      return Fail(fmt::format("invalid regular expression '{}': {}", Shorten(text, 100), pattern.expression_->error()));
    }
    return pattern;
  }

  bool IsSet() const { return expression_ != nullptr; }
  bool IsIn(const std::string& label) const { return RE2::PartialMatch(label, *expression_); }

 private:
  std::unique_ptr<RE2> expression_;
};

struct Patterns {
  Pattern include, exclude, focus, trim;
};

// Expressions that a frame matches.
enum Match : uint8_t { kInclude = 1, kExclude = 2, kFocus = 4, kTrim = 8 };

// Rows used by samples, and the parents of their stacks.
struct Used {
  std::vector<bool> stacks;
  std::vector<bool> frames;
};

Used UsedParts(const Profile& tables, const Profile& samples, std::optional<EventId> event) {
  Used used{std::vector<bool>(tables.stacks.Size()), std::vector<bool>(tables.frames.Size())};
  for (const Sample& sample : samples.samples) {
    if (!event || sample.event == *event) used.stacks[sample.stack] = true;
  }
  for (size_t id = used.stacks.size() - 1; id > 0; --id) {
    if (!used.stacks[id]) continue;
    const StackTable::Node& node = tables.stacks.Get(static_cast<StackId>(id));
    used.stacks[node.parent] = true;
    used.frames[node.frame] = true;
  }
  return used;
}

class Transformer {
 public:
  Transformer(const Profile& tables, const Profile& from, const ProfileTransform& transform, const Patterns& patterns,
              std::optional<EventId> event)
      : tables_(tables),
        from_(from),
        transform_(transform),
        patterns_(patterns),
        event_(event),
        builder_(Everything(from)) {}

  Profile Run() {
    Profile& to = builder_.profile();
    to.events = from_.events;
    to.default_event = from_.default_event;
    if (event_) {
      to.events = {from_.events[*event_]};
      to.default_event = 0;
    }
    to.threads = from_.threads;
    to.tasks = from_.tasks;
    to.start_ns = from_.start_ns;
    to.damaged = from_.damaged;
    to.first_damage = from_.first_damage;
    if (transform_.keep_strings) to.strings = tables_.strings;
    used_ = UsedParts(tables_, from_, event_);
    MapFrames();
    MapStacks();
    for (Sample sample : from_.samples) {
      if (event_ && sample.event != *event_) continue;
      const Place& place = places_[sample.stack];
      if (!Keeps(place)) continue;
      if (event_) sample.event = 0;
      sample.stack = Finish(place.stack, sample.thread);
      builder_.Add(sample);
    }
    return builder_.Take();
  }

 private:
  // State of a stack of tables_: its copy in the new table, and facts about it so far.
  struct Place {
    StackId stack = 0;
    FrameId leaf = 0;
    uint8_t matched = 0;
    bool trimmed = false;
    uint32_t depth = 0;  // depth in tables_
  };

  // A stack with its thread as root.
  struct ThreadStack {
    uint32_t thread = 0;
    StackId stack = 0;
    StackId result = 0;
    bool is_used = false;

    bool IsUsed() const { return is_used; }
    uint64_t Hash() const { return MixHash(uint64_t{thread} << 32 | stack); }
    bool HasKeyOf(const ThreadStack& other) const { return thread == other.thread && stack == other.stack; }
  };

  static ProfileReadOptions Everything(const Profile& from) {
    ProfileReadOptions options{.name = from.name};
    options.keep_threads = from.threads.size() > 1;
    options.keep_tasks = from.tasks.size() > 1;
    const bool has_times = std::any_of(from.samples.begin(), from.samples.end(),
                                       [](const Sample& sample) { return sample.time_ns != kNoTime; });
    options.bucket_ns = has_times ? 1 : 0;
    options.keep_order = from.in_order;
    return options;
  }

  std::string Name(std::string_view name) const {
    std::string text(name);
    if (transform_.merge_lambdas) text = NameWithoutNumbers(text);
    if (transform_.simple_names) text = SimpleName(text);
    if (transform_.strip_hex) RE2::GlobalReplace(&text, "0x[0-9a-fA-F]+", "0x...");
    return text;
  }

  // Suffixes like those of stackcollapse-perf.pl's --kernel and --jit, and async-profiler's "ann".
  std::string_view Ending(FrameKind kind) const {
    if (transform_.annotate_kernel && kind == FrameKind::kKernel) return "_[k]";
    if (transform_.annotate_jit && kind == FrameKind::kJit) return "_[j]";
    if (transform_.annotate_jit && kind == FrameKind::kInlined) return "_[i]";
    return {};
  }

  // Renames frames. Without lines, frames of one function are merged into one, of the kind with the largest weight.
  void MapFrames() {
    Profile& to = builder_.profile();
    frames_.resize(tables_.frames.Size());
    matches_.resize(tables_.frames.Size());
    hidden_.resize(tables_.frames.Size());
    std::vector<Frame> renamed(tables_.frames.Size());
    for (FrameId id = 1; id < renamed.size(); ++id) {
      if (!used_.frames[id]) continue;
      Frame frame = tables_.frames.Get(id);
      const bool renames = transform_.merge_lambdas || transform_.simple_names || transform_.strip_hex;
      const std::string_view name = tables_.strings.Get(frame.name);
      frame.name = to.strings.Intern(renames ? Name(name) : name);
      hidden_[id] =
          transform_.fold_pyspark && frame.kind == FrameKind::kPython && IsPysparkFile(tables_.strings.Get(frame.file));
      const bool needs_file = transform_.lines || frame.kind == FrameKind::kPython || frame.kind == FrameKind::kNative;
      const std::string_view file = tables_.strings.Get(frame.file);
      frame.file = !needs_file ? 0 : to.strings.Intern(transform_.lasting_files ? LastingFile(file) : file);
      const bool keeps_line = transform_.lines || (transform_.python_lines && frame.kind == FrameKind::kPython);
      if (!keeps_line) frame.line = 0;
      renamed[id] = frame;
    }
    // Before kinds are merged: the suffixes keep them apart.
    if (transform_.annotate_kernel || transform_.annotate_jit) {
      for (Frame& frame : renamed) {
        const std::string_view name = to.strings.Get(frame.name), ending = Ending(frame.kind);
        if (!ending.empty() && !name.ends_with(ending))
          frame.name = to.strings.Intern(fmt::format("{}{}", name, ending));
      }
    }
    if (!transform_.lines) MergeKinds(&renamed);
    for (FrameId id = 1; id < renamed.size(); ++id) {
      if (!used_.frames[id]) continue;
      frames_[id] = to.frames.Intern(renamed[id]);
      matches_[id] = MatchesOf(FrameLabel(to.strings, renamed[id]));
    }
  }

  void MergeKinds(std::vector<Frame>* frames) const {
    std::vector<int64_t> weights(tables_.stacks.Size());
    for (const Sample& sample : from_.samples) {
      if (!event_ || sample.event == *event_) AddSaturated(sample.weight, &weights[sample.stack]);
    }
    std::vector<int64_t> weight_of_frame(frames->size());
    for (size_t id = weights.size() - 1; id > 0; --id) {
      const StackTable::Node& node = tables_.stacks.Get(static_cast<StackId>(id));
      AddSaturated(weights[id], &weights[node.parent]);
      AddSaturated(weights[id], &weight_of_frame[node.frame]);
    }
    FrameTable functions;
    std::vector<std::array<int64_t, kKinds>> weight_of_kind(1);
    std::vector<FrameId> function_of(frames->size());
    for (FrameId id = 1; id < frames->size(); ++id) {
      if (!used_.frames[id]) continue;
      Frame key = (*frames)[id];
      key.kind = FrameKind::kUnknown;
      function_of[id] = functions.Intern(key);
      if (function_of[id] == weight_of_kind.size()) weight_of_kind.emplace_back();
      // Plus one, so that a function without weight keeps its first kind.
      const auto kind = static_cast<size_t>((*frames)[id].kind);
      AddSaturated(std::max<int64_t>(weight_of_frame[id], 1), &weight_of_kind[function_of[id]][kind]);
    }
    for (FrameId id = 1; id < frames->size(); ++id) {
      if (!used_.frames[id]) continue;
      const auto& kinds = weight_of_kind[function_of[id]];
      (*frames)[id].kind = static_cast<FrameKind>(std::max_element(kinds.begin(), kinds.end()) - kinds.begin());
    }
  }

  uint8_t MatchesOf(const std::string& label) const {
    uint8_t matches = 0;
    if (patterns_.include.IsSet() && patterns_.include.IsIn(label)) matches |= kInclude;
    if (patterns_.exclude.IsSet() && patterns_.exclude.IsIn(label)) matches |= kExclude;
    if (patterns_.focus.IsSet() && patterns_.focus.IsIn(label)) matches |= kFocus;
    if (patterns_.trim.IsSet() && patterns_.trim.IsIn(label)) matches |= kTrim;
    return matches;
  }

  // A stack follows its parent, so one pass is sufficient.
  void MapStacks() {
    StackTable& stacks = builder_.profile().stacks;
    places_.resize(tables_.stacks.Size());
    for (StackId id = 1; id < places_.size(); ++id) {
      if (!used_.stacks[id]) continue;
      const StackTable::Node& node = tables_.stacks.Get(id);
      Place place = places_[node.parent];
      const uint8_t matches = matches_[node.frame];
      place.matched |= matches;
      ++place.depth;
      const bool shown = !patterns_.focus.IsSet() || (place.matched & kFocus) != 0;
      if (shown && !place.trimmed && !hidden_[node.frame] && place.depth > transform_.skip) {
        const FrameId frame = frames_[node.frame];
        if (!transform_.collapse_recursion || frame != place.leaf) place.stack = stacks.Push(place.stack, frame);
        place.leaf = frame;
        place.trimmed = (matches & kTrim) != 0;
      }
      places_[id] = place;
    }
  }

  bool Keeps(const Place& place) const {
    if (patterns_.include.IsSet() && (place.matched & kInclude) == 0) return false;
    if (patterns_.focus.IsSet() && (place.matched & kFocus) == 0) return false;
    if (transform_.skip > 0 && place.stack == 0) return false;
    return (place.matched & kExclude) == 0;
  }

  // Reverses the stack and prepends the thread if requested.
  StackId Finish(StackId stack, uint32_t thread) {
    if (!transform_.reverse && !transform_.NeedsThreads()) return stack;
    ThreadStack wanted{transform_.NeedsThreads() ? thread : 0, stack, 0, true};
    if (const ThreadStack* found = finished_.Find(wanted)) return found->result;
    Profile& to = builder_.profile();
    to.stacks.Unwind(stack, &path_);
    if (transform_.process_ids || transform_.thread_ids) AddIds(thread);
    if (transform_.reverse) std::reverse(path_.begin(), path_.end());
    if (transform_.threads) wanted.result = to.stacks.Push(0, ThreadFrame(thread));
    for (const FrameId frame : path_) wanted.result = to.stacks.Push(wanted.result, frame);
    finished_.Insert(wanted);
    return wanted.result;
  }

  // Appends the IDs to the command, which is the root of perf's stacks; adds a root to other stacks.
  void AddIds(uint32_t row) {
    const ProfileThread& thread = from_.threads[row];
    const auto id = [](int64_t number) { return number == 0 ? std::string("?") : std::to_string(number); };
    const Profile& to = builder_.profile();
    std::string command = thread.name;
    // Linux's idle task has no other ID.
    const std::string tid = command == "swapper" ? std::to_string(thread.tid) : id(thread.tid);
    std::replace(command.begin(), command.end(), ' ', '_');
    const bool is_root = !path_.empty() && to.strings.Get(to.frames.Get(path_.front()).name) == command;
    const std::string name = transform_.thread_ids ? fmt::format("{}-{}/{}", command, id(thread.process), tid)
                                                   : fmt::format("{}-{}", command, id(thread.process));
    if (!is_root) path_.insert(path_.begin(), 0);
    path_.front() = builder_.AddFrame(name);
  }

  FrameId ThreadFrame(uint32_t row) {
    const ProfileThread& thread = from_.threads[row];
    std::string name = "[unknown thread]";
    if (!thread.name.empty()) {
      name = thread.tid == 0 ? fmt::format("[{}]", thread.name) : fmt::format("[{} tid={}]", thread.name, thread.tid);
    } else if (thread.tid != 0) {
      name = fmt::format("[tid={}]", thread.tid);
    }
    return builder_.AddFrame(name, FrameKind::kSynthetic);
  }

  const Profile& tables_;
  const Profile& from_;  // the samples; their stacks are rows of tables_
  const ProfileTransform& transform_;
  const Patterns& patterns_;
  const std::optional<EventId> event_;
  ProfileBuilder builder_;
  Used used_;
  std::vector<FrameId> frames_;   // by FrameId of tables_: the new FrameId
  std::vector<uint8_t> matches_;  // by FrameId of tables_
  std::vector<bool> hidden_;      // by FrameId of tables_
  std::vector<Place> places_;     // by StackId of tables_
  FlatTable<ThreadStack> finished_;
  std::vector<FrameId> path_;
};

// Whether each frame is a distinct function, so that dropping lines and kinds merges none.
bool FramesAreFunctions(const Profile& profile) {
  FrameTable functions;
  for (FrameId id = 1; id < profile.frames.Size(); ++id) {
    const Frame& frame = profile.frames.Get(id);
    const bool keeps_file = frame.kind == FrameKind::kNative;
    if (frame.kind == FrameKind::kPython || frame.line != 0 || (frame.file != 0 && !keeps_file)) return false;
    if (functions.Intern({.name = frame.name, .file = frame.file}) != id) return false;
  }
  return true;
}

bool ChangesNothing(const Profile& profile, const ProfileTransform& transform, std::optional<EventId> event) {
  ProfileTransform rest = transform;
  rest.lines = true;
  rest.python_lines = false;
  rest.fold_pyspark = false;
  rest.keep_strings = false;
  if (rest != ProfileTransform{} || (event && profile.events.size() > 1)) return false;
  return (transform.lines && !transform.fold_pyspark) || FramesAreFunctions(profile);
}

}  // namespace

Result<Profile> Transform(Profile profile, const ProfileTransform& transform, std::optional<EventId> event) {
  if (ChangesNothing(profile, transform, event)) return profile;
  return Transform(profile, profile, transform, event);
}

Result<Profile> Transform(const Profile& tables, const Profile& samples, const ProfileTransform& transform,
                          std::optional<EventId> event) {
  Patterns patterns;
  for (const auto& [text, option, pattern] : {std::tuple(&transform.include, "--include", &patterns.include),
                                              std::tuple(&transform.exclude, "--exclude", &patterns.exclude),
                                              std::tuple(&transform.focus, "--focus", &patterns.focus),
                                              std::tuple(&transform.trim, "--trim", &patterns.trim)}) {
    Result<Pattern> compiled = Pattern::Compile(*text);
    if (!compiled) return Fail(fmt::format("{}: {}", option, compiled.error().message));
    *pattern = std::move(*compiled);
  }
  return Transformer(tables, samples, transform, patterns, event).Run();
}

Result<void> CheckExpression(const std::string& text) {
  const Result<Pattern> compiled = Pattern::Compile(text);
  return compiled ? Result<void>() : tl::unexpected(compiled.error());
}

std::string SimpleName(std::string_view name) {
  // Java names have dots, or slashes from perf and async-profiler, between packages. Text after a space, a parenthesis
  // or a colon is not a package.
  const std::string_view path = name.substr(0, name.find_first_of(" :(<["));
  // No Java name starts with a digit: it is the number of a hidden class ("org.x.Job$$Lambda/0x00007f01.apply", or with
  // a dot in async-profiler), or a compiler's suffix ("read.constprop.0").
  for (size_t at = 1; at < path.size() && path[0] != '/'; ++at) {
    if (!IsDigit(path[at]) || (path[at - 1] != '.' && path[at - 1] != '/')) continue;
    const std::string_view before = path.substr(0, at - 1);
    const bool is_java = path.substr(at).starts_with("0x") || before.find('$') != std::string_view::npos;
    return std::string(is_java ? name.substr(before.find_last_of("./") + 1) : name);
  }
  const size_t slash = path.rfind('/');
  if (slash != std::string_view::npos) return std::string(name.substr(slash + 1));
  const size_t method = path.rfind('.');
  if (method == std::string_view::npos || method == 0) return std::string(name);
  const size_t type = path.rfind('.', method - 1);
  // The class of an allocation or a lock has no method: a package precedes it.
  const bool is_class = method + 1 < path.size() && IsUpper(path[method + 1]) && IsLower(path[type + 1]);
  if (is_class) return std::string(name.substr(method + 1));
  return std::string(type == std::string_view::npos ? name : name.substr(type + 1));
}

}  // namespace sparkprof
