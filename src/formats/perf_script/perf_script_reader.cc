// SPDX-License-Identifier: Apache-2.0
#include "formats/perf_script/perf_script_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>

#include "base/characters.h"
#include "base/lines.h"
#include "base/same_bytes.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr std::string_view kUnknownSymbol = "[unknown]";

// Without a branch: digits and letters follow each other at random.
bool IsBlank(char c) { return c == ' ' || c == '\t'; }
bool IsWord(char c) { return IsAlnum(c) || c == '_'; }

size_t SkipDigits(std::string_view line, size_t at) {
  while (at < line.size() && IsDigit(line[at])) ++at;
  return at;
}

size_t SkipBlanks(std::string_view line, size_t at) {
  while (at < line.size() && IsBlank(line[at])) ++at;
  return at;
}

// The process and thread ids after the command's name: "24636/25607 ", or the thread's alone.
struct Ids {
  size_t command_end = 0;  // the blank after the command
  size_t begin = 0;
  size_t end = 0;
};

std::optional<Ids> FindIds(std::string_view line) {
  if (line.empty() || IsBlank(line[0])) return std::nullopt;
  for (size_t at = 1; at < line.size(); ++at) {
    if (!IsBlank(line[at])) continue;
    const size_t begin = SkipBlanks(line, at);
    size_t end = SkipDigits(line, begin);
    if (end == begin) {
      at = begin - 1;
      continue;
    }
    while (end < line.size() && line[end] == '/') ++end;
    end = SkipDigits(line, end);
    if (end < line.size() && IsBlank(line[end])) return Ids{at, begin, end};
    at = begin - 1;
  }
  return std::nullopt;
}

// The end of a sample's first line, ": 10000000 cycles:pppH:".
struct EventText {
  std::string_view name;
  int64_t period = 1;
};

std::optional<EventText> FindEvent(std::string_view line) {
  while (!line.empty() && IsBlank(line.back())) line.remove_suffix(1);
  if (line.empty() || line.back() != ':') return std::nullopt;
  line.remove_suffix(1);
  const size_t before_name = line.find_last_of(" \t");
  if (before_name == std::string_view::npos || before_name + 1 == line.size()) return std::nullopt;
  EventText event{line.substr(before_name + 1)};
  line = line.substr(0, before_name);
  while (!line.empty() && IsBlank(line.back())) line.remove_suffix(1);
  size_t digits = line.size();
  while (digits > 0 && IsDigit(line[digits - 1])) --digits;
  if (digits < line.size()) {
    const std::optional<int64_t> period = ParseInteger(line.substr(digits));
    if (period && *period > 0) event.period = *period;
    line = line.substr(0, digits);
    while (!line.empty() && IsBlank(line.back())) line.remove_suffix(1);
  }
  if (line.empty() || line.back() != ':') return std::nullopt;
  return event;
}

// "4794564.109216:" as ns.
int64_t FindTime(std::string_view line) {
  for (size_t at = 0; at < line.size();) {
    at = SkipBlanks(line, at);
    const size_t begin = at;
    const size_t dot = SkipDigits(line, begin);
    if (dot > begin && dot < line.size() && line[dot] == '.') {
      const size_t end = SkipDigits(line, dot + 1);
      if (end > dot + 1 && end < line.size() && line[end] == ':') {
        const std::optional<int64_t> seconds = ParseInteger(line.substr(begin, dot - begin));
        int64_t nanos = 0;
        for (size_t i = 0; i < 9; ++i) {
          nanos = nanos * 10 + (dot + 1 + i < end ? line[dot + 1 + i] - '0' : 0);
        }
        int64_t time = 0;
        if (seconds && !__builtin_mul_overflow(*seconds, int64_t{1'000'000'000}, &time) &&
            !__builtin_add_overflow(time, nanos, &time)) {
          return time;
        }
        return kNoTime;
      }
    }
    while (at < line.size() && !IsBlank(line[at])) ++at;
  }
  return kNoTime;
}

std::string_view WithoutOffset(std::string_view symbol) {
  size_t at = symbol.size();
  while (at > 0 && IsHexDigit(symbol[at - 1])) --at;
  if (at == symbol.size() || at < 3 || symbol.substr(at - 3, 3) != "+0x") return symbol;
  return symbol.substr(0, at - 3);
}

// "net/http.(*Client).Do": the parenthesis is part of the name.
bool LooksLikeGo(std::string_view name) {
  const size_t open = name.find(".(");
  return open != std::string_view::npos && name.find(").", open + 2) != std::string_view::npos;
}

void CutArguments(std::string* name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  for (size_t at = 0; (at = name->find('(', at)) != std::string::npos; ++at) {
    if (std::string_view(*name).substr(at).starts_with(kAnonymous)) continue;
    name->resize(at);
    return;
  }
}

// perf prints a frame as "\t", the address in 16 places, " ", the symbol, its offset and the module.
constexpr size_t kAddressBegin = 1, kSymbolBegin = 18;
constexpr size_t kFirstKnownLines = size_t{1} << 8, kKnownLines = size_t{1} << 14;

uint64_t Load(const char* text) {
  uint64_t word;
  std::memcpy(&word, text, sizeof word);
  return word;
}

// By PerfScriptReader::ModuleKind.
constexpr FrameKind kFrameKinds[] = {FrameKind::kNative, FrameKind::kKernel, FrameKind::kJit};

}  // namespace

bool PerfScriptReader::LooksLike(std::string_view head) {
  // A sample's first line with its event, and an address below it.
  bool after_sample = false;
  while (!head.empty()) {
    const std::string_view line = WithoutCarriageReturn(TakeLine(&head));
    if (after_sample && !line.empty()) {
      const size_t begin = SkipBlanks(line, 0);
      size_t address_end = begin;
      while (address_end < line.size() && IsHexDigit(line[address_end])) ++address_end;
      if (begin > 0 && address_end > begin && line.find(" (") != std::string_view::npos) return true;
    }
    if (!line.empty() && line[0] != '#') after_sample = FindIds(line) && FindEvent(line);
  }
  return after_sample;
}

void PerfScriptReader::BeginSample(std::string_view line, size_t command_end, size_t ids_end) {
  const std::string_view command = line.substr(0, command_end);
  const std::string_view rest = line.substr(ids_end);
  EventText event{"samples"};
  if (const std::optional<EventText> found = FindEvent(rest)) event = *found;
  sample_ = {.event = builder_->AddEvent(event.name, "count"), .weight = event.period};
  is_java_ = command.starts_with("java");
  command_ = commands_.Get(command, [&](std::string_view text) {
    std::string name(text);
    std::replace(name.begin(), name.end(), ' ', '_');
    return builder_->AddFrame(name);
  });
  leaf_first_.clear();
  in_sample_ = true;
  if (builder_->options().keep_threads) {
    const std::string_view ids = Trim(line.substr(command_end, ids_end - command_end));
    const size_t slash = ids.find('/');
    const size_t tid = slash == std::string_view::npos ? 0 : ids.find_first_not_of('/', slash);
    ProfileThread thread;
    thread.name = std::string(command);
    if (tid != std::string_view::npos) thread.tid = ParseInteger(ids.substr(tid)).value_or(0);
    if (slash != std::string_view::npos) thread.process = ParseInteger(ids.substr(0, slash)).value_or(0);
    sample_.thread = builder_->AddThread(thread);
  }
  if (builder_->options().bucket_ns != 0) sample_.time_ns = FindTime(rest);
}

void PerfScriptReader::EndSample() {
  if (!in_sample_) return;
  in_sample_ = false;
  StackTable& stacks = builder_->profile().stacks;
  StackId stack = stacks.Push(0, command_);
  for (size_t i = leaf_first_.size(); i > 0; --i) stack = stacks.Push(stack, leaf_first_[i - 1]);
  sample_.stack = stack;
  builder_->Add(sample_);
}

PerfScriptReader::ModuleKind PerfScriptReader::KindOf(std::string_view module) {
  if ((module.starts_with('[') && module != kUnknownSymbol) || module.ends_with("vmlinux")) return kKernel;
  return module.starts_with("/tmp/perf-") ? kJit : kNative;
}

std::string PerfScriptReader::FunctionName(std::string_view symbol, std::string_view module) const {
  std::string name(symbol);
  if (symbol == kUnknownSymbol) {
    const bool known_module = module != kUnknownSymbol;
    name = fmt::format("[{}]", known_module ? module.substr(module.rfind('/') + 1) : "unknown");
  }
  std::replace(name.begin(), name.end(), ';', ':');
  if (!LooksLikeGo(name)) CutArguments(&name);
  std::erase_if(name, [](char c) { return c == '"' || c == '\''; });
  if (is_java_ && name.starts_with('L') && name.find('/') != std::string::npos) name.erase(0, 1);
  return name;
}

PerfScriptReader::Frames PerfScriptReader::MakeFrames(std::string_view symbol, std::string_view module,
                                                      FrameKind kind) {
  Frames frames{static_cast<uint32_t>(frames_.size()), 0};
  while (true) {
    const size_t arrow = symbol.find("->");
    const std::string_view part = symbol.substr(0, arrow);
    // Inlined frames are marked, as in stackcollapse-perf.pl.
    std::string name = FunctionName(part, module);
    const bool is_inlined = frames.count > 0;
    if (is_inlined && name.find("_[i]") == std::string::npos) name += "_[i]";
    frames_.push_back(builder_->AddFrame(name, is_inlined ? FrameKind::kInlined : kind));
    ++frames.count;
    if (arrow == std::string_view::npos) return frames;
    symbol.remove_prefix(arrow + 2);
  }
}

bool PerfScriptReader::AddFrame(std::string_view line) {
  size_t at = SkipBlanks(line, 0);
  const size_t address = at;
  while (at < line.size() && IsWord(line[at])) ++at;
  if (at == address) return false;
  const size_t address_end = at;
  at = SkipBlanks(line, at);
  // The symbol extends to the last " (", the module to the last ")".
  const size_t close = line.rfind(')');
  if (close == std::string_view::npos) return false;
  const size_t open = line.substr(0, close).rfind(" (");
  if (open == std::string_view::npos || open <= at) return false;
  std::string_view symbol = line.substr(at, open - at);
  const std::string_view module = line.substr(open + 2, close - open - 2);
  symbol = WithoutOffset(symbol);
  if (symbol.starts_with('(')) return true;  // a process' name
  Frames frames;
  if (symbol == kUnknownSymbol && builder_->options().addresses) {
    std::string name = FunctionName(kUnknownSymbol, module);
    name.insert(name.size() - 1, fmt::format(" <{}>", line.substr(address, address_end - address)));
    leaf_first_.push_back(builder_->AddFrame(name, kFrameKinds[KindOf(module)]));
    return true;
  }
  if (symbol == kUnknownSymbol) {
    frames = unknown_[is_java_].Get(
        module, [&](std::string_view text) { return MakeFrames(kUnknownSymbol, text, kFrameKinds[KindOf(text)]); });
  } else {
    const ModuleKind kind = KindOf(module);
    frames = symbols_[is_java_][kind].Get(
        symbol, [&](std::string_view text) { return MakeFrames(text, module, kFrameKinds[kind]); });
  }
  for (uint32_t i = frames.count; i > 0; --i) leaf_first_.push_back(frames_[frames.begin + i - 1]);
  KeepLine(line, at, symbol.size(), open, frames);
  return true;
}

void PerfScriptReader::AddSourceLine(std::string_view line) {
  if (leaf_first_.empty()) return;
  const std::string_view place = Trim(line.substr(0, line.find('[')));
  if (place.empty()) return;
  const Profile& profile = builder_->profile();
  const Frame frame = profile.frames.Get(leaf_first_.back());
  leaf_first_.back() = builder_->AddFrame(fmt::format("{}:{}", profile.strings.Get(frame.name), place), frame.kind);
}

PerfScriptReader::KnownLine* PerfScriptReader::PlacesOf(const char* line) {
  const char* const address = line + kAddressBegin;
  return &known_lines_[is_java_]
                      [MixHash(Load(address) * 31 + Load(address + 8)) % (known_lines_[is_java_].size() / 2) * 2];
}

void PerfScriptReader::KeepLine(std::string_view line, size_t symbol_begin, size_t symbol_size, size_t rest_begin,
                                Frames frames) {
  if (frames.count != 1 || symbol_begin != kSymbolBegin || line[0] != '\t' || line.size() > UINT16_MAX) return;
  const StringId text =
      known_texts_.Intern(fmt::format("{}{}", line.substr(symbol_begin, symbol_size), line.substr(rest_begin)));
  // Clearing a large cache would take longer than reading a small file.
  std::vector<KnownLine>& known = known_lines_[is_java_];
  if (kept_lines_[is_java_]++ >= known.size() && known.size() < kKnownLines)
    known.assign(std::max(kFirstKnownLines, known.size() * 8), {});
  KnownLine* const place = PlacesOf(line.data());
  place[1] = place[0];
  std::memcpy(place->address, line.data() + kAddressBegin, sizeof place->address);
  place->text = known_texts_.Get(text).data();
  place->symbol_size = static_cast<uint16_t>(symbol_size);
  place->rest_size = static_cast<uint16_t>(line.size() - rest_begin);
  place->frame = frames_[frames.begin];
}

bool PerfScriptReader::AddKnownLine(std::string_view line) {
  if (known_lines_[is_java_].empty() || line.size() <= kSymbolBegin || line[0] != '\t') return false;
  const KnownLine* const places = PlacesOf(line.data());
  return AddIfSame(places[0], line) || AddIfSame(places[1], line);
}

bool PerfScriptReader::AddIfSame(const KnownLine& known, std::string_view line) {
  const char* const symbol = line.data() + kSymbolBegin;
  const size_t size = line.size() - kSymbolBegin, known_size = known.symbol_size + size_t{known.rest_size};
  if (!SameBytes(known.address, line.data() + kAddressBegin, sizeof known.address) || known.text == nullptr ||
      size < known_size || symbol[-1] != ' ' || !SameBytes(symbol, known.text, known.symbol_size) ||
      !SameBytes(symbol + size - known.rest_size, known.text + known.symbol_size, known.rest_size)) {
    return false;
  }
  if (size > known_size) {
    const std::string_view offset(symbol + known.symbol_size, size - known_size);
    if (!offset.starts_with("+0x") || offset.size() == 3) return false;
    bool is_number = true;
    for (const char c : offset.substr(3)) is_number &= IsHexDigit(c);
    if (!is_number) return false;
  }
  leaf_first_.push_back(known.frame);
  return true;
}

Result<void> PerfScriptReader::AddLine(std::string_view line) {
  ++line_number_;
  if (line.starts_with('#')) return {};
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (line.empty()) {
    EndSample();
    return {};
  }
  if (!IsBlank(line[0])) {
    if (const std::optional<Ids> ids = FindIds(line)) {
      EndSample();
      BeginSample(line, ids->command_end, ids->end);
      return {};
    }
  }
  if (in_sample_ && AddFrame(line)) return {};
  // `perf script -F +srcline` prints "  file.cpp:137" after each frame, or "library[27b25]" if the source is unknown.
  if (in_sample_ && IsBlank(line[0]) && line.find_first_of(":[") != std::string_view::npos) {
    if (builder_->options().source_lines) AddSourceLine(line);
    return {};
  }
  return builder_->Damaged(fmt::format("line {}: expected {}, found '{}'", line_number_,
                                       in_sample_ ? "an address, a symbol and (module), or an empty line"
                                                  : "a sample such as 'java 1/2 [000] 3.4: 5 cycles:'",
                                       line.substr(0, 60)));
}

Result<void> PerfScriptReader::AddLines(std::string_view lines) {
  std::array<std::string_view, 32> some;
  while (!lines.empty()) {
    // The places of some lines are fetched before the first of them is compared.
    size_t count = 0;
    while (count < some.size() && !lines.empty()) {
      const std::string_view line = TakeLine(&lines);
      some[count++] = line;
      if (line.size() > kSymbolBegin && !known_lines_[is_java_].empty()) __builtin_prefetch(PlacesOf(line.data()));
    }
    for (const std::string_view line : std::span(some).first(count)) {
      if (in_sample_ && AddKnownLine(line)) {
        ++line_number_;
      } else if (Result<void> added = AddLine(line); !added) {
        return added;
      }
    }
  }
  return {};
}

}  // namespace sparkprof
