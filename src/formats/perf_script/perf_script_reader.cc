// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/text/characters.h"
#include "base/text/same_bytes.h"
#include "base/text/text.h"
#include "formats/perf_script/perf_header.h"
#include "formats/perf_script/perf_symbol.h"
#include "formats/perf_script/perf_text.h"
#include "formats/read_input.h"
#include "formats/readers.h"
#include "formats/text_cache.h"
#include "model/samples/profile_builder.h"
#include "model/samples/string_table.h"

namespace sparkprof {
namespace {

constexpr size_t kShownBytes = 60;  // part of a line shown in messages

constexpr std::string_view kUnknownSymbol = "[unknown]";

constexpr std::string_view kPerfData = "PERFILE2", kPerfDataSwapped = "2ELIFREP";  // the second is byte-swapped

bool IsAddressWord(char c) { return IsAlnum(c) || c == '_'; }

// "add (x)" in other texts is not an address.
bool HasDigitInAddress(std::string_view line) {
  const size_t begin = SkipSpace(line, 0);
  const std::string_view address = line.substr(begin, SkipHexNumber(line, begin) - begin);
  return std::any_of(address.begin(), address.end(), IsDigit);
}

// Addresses in other texts are short.
bool HasLongAddress(std::string_view line) {
  const size_t begin = SkipSpace(line, 0);
  return SkipHexNumber(line, begin) >= begin + 6;
}

// "vmlinux", "vmlinux-5.4.14-generic"
bool IsKernelImage(std::string_view module) {
  const size_t at = module.rfind("vmlinux");
  if (at == std::string_view::npos) return false;
  const std::string_view version = module.substr(at);
  return std::all_of(version.begin(), version.end(),
                     [](char c) { return IsAlnum(c) || c == '-' || c == '.' || c == '_'; });
}

// "nf_tables.ko", "nf_tables.ko.xz"
bool IsKernelModule(std::string_view module) {
  const size_t at = module.rfind(".ko");
  if (at == std::string_view::npos) return false;
  const std::string_view compression = module.substr(at + 3);
  return compression.empty() || compression == ".xz" || compression == ".gz" || compression == ".zst";
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
constexpr FrameKind kFrameKinds[] = {FrameKind::kNative, FrameKind::kKernel, FrameKind::kJit, FrameKind::kInlined};

// The text that `perf script` prints, each sample as
//   java 24636/25607 [000] 4794564.109216:   10000000 cycles:pppH:
//           7f722d142778 Ljava/io/PrintStream;::print+0x12 (/tmp/perf-19982.map)
//           (callers)
//   (an empty line)
// with any fields of -F (perf_header.h). Stacks and weights are those of stackcollapse-perf.pl and
// inferno-collapse-perf: the command's name is the root, the weight is the period that was printed (1 where none was),
// offsets, arguments and Rust's hashes are cut from names (perf_symbol.h), "a->b" becomes two frames, "a" and "b_[i]".
// Every event of the file becomes an event of the profile; the first one is the default. Other than there, a frame
// needs no symbol, module or empty line at its end.
class PerfScriptReader {
 public:
  explicit PerfScriptReader(ProfileBuilder* builder) : builder_(builder) {}

  Result<void> Finish() {
    if (!short_header_.empty()) {
      if (Result<void> kept = NotASample(short_header_line_, short_header_); !kept) return kept;
    }
    EndSample();
    if (has_samples_ && !has_frames_) {
      builder_->Note("samples without stacks; use perf record -g, and perf script with the fields ip and sym");
    }
    return {};
  }

  Result<void> AddLines(std::string_view lines) {
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
        if (in_sample_ && !has_frame_in_header_ && AddKnownLine(line)) {
          ++line_number_;
        } else if (Result<void> added = AddLine(line); !added) {
          return added;
        }
      }
    }
    return {};
  }

 private:
  // The frames of a symbol (several if perf merged inlined calls into one), a part of frames_, from caller to callee.
  struct Frames {
    uint32_t begin = 0;
    uint32_t count = 0;
  };
  enum ModuleKind { kNative, kKernel, kJit, kInlined };
  // Known lines by address: the same address usually has the same function. The complete line is compared, so a reused
  // address does no harm.
  struct KnownLine {
    char address[16] = {};       // as the line has it
    const char* text = nullptr;  // "symbol (module)", without an offset; null = not used
    uint16_t symbol_size = 0;
    uint16_t rest_size = 0;  // length of " (module)"
    FrameId frame = 0;
  };

  void BeginSample(const PerfHeader& header) {
    EndSample();
    if (header.is_record) return;
    has_samples_ = true;
    sample_ = {.event = builder_->AddEvent(header.event.empty() ? "samples" : header.event, "count"),
               .weight = header.period};
    is_java_ = header.command.starts_with("java");
    has_command_ = !header.command.empty() || !header.ids.empty();
    if (!header.command.empty()) {
      command_ = commands_.Get(header.command, [&](std::string_view command) {
        std::string name(command);
        std::replace(name.begin(), name.end(), ' ', '_');
        return builder_->AddFrame(name);
      });
    } else if (!header.ids.empty()) {
      // Perf's name for an unknown process.
      command_ = builder_->AddFrame(fmt::format(":{}", header.ids.substr(0, header.ids.find('/'))));
    }
    leaf_first_.clear();
    in_sample_ = true;
    is_damaged_ = false;
    if (builder_->options().keep_threads) {
      const size_t slash = header.ids.find('/');
      const size_t tid = slash == std::string_view::npos ? 0 : header.ids.find_first_not_of('/', slash);
      ProfileThread thread;
      thread.name = std::string(header.command);
      if (tid != std::string_view::npos) thread.tid = ParseInteger(header.ids.substr(tid)).value_or(0);
      if (slash != std::string_view::npos) thread.process = ParseInteger(header.ids.substr(0, slash)).value_or(0);
      sample_.thread = builder_->AddThread(thread);
    }
    if (builder_->options().bucket_ns != 0) sample_.time_ns = header.TimeNs();
    // Without -g, the line has the only frame. With it, this is the address of data, and the stack follows.
    has_frame_in_header_ =
        (header.has_address || LooksLikeFrame(header.rest)) && AddFrame(header.rest, header.has_address);
  }

  void EndSample() {
    if (!in_sample_) return;
    in_sample_ = false;
    has_frames_ |= !leaf_first_.empty();
    // A stack of which no line could be read is not an empty stack.
    if (leaf_first_.empty() && is_damaged_) return;
    sample_.stack =
        builder_->AddLeafFirst(leaf_first_, has_command_ ? builder_->profile().stacks.Push(0, command_) : 0);
    builder_->Add(sample_);
  }

  static ModuleKind KindOf(std::string_view module) {
    if (module == kUnknownSymbol) return kNative;
    if (module.starts_with('[') || IsKernelImage(module) || IsKernelModule(module)) return kKernel;
    // perf's map of a JIT compiler, or what perf inject --jit made of its dump
    if (module.starts_with("/tmp/perf-") ||
        (module.find("/jitted-") != std::string_view::npos && module.ends_with(".so")))
      return kJit;
    return module == "inlined" ? kInlined : kNative;
  }

  std::string FunctionName(std::string_view symbol, std::string_view module) const {
    std::string name(symbol);
    if (symbol == kUnknownSymbol) {
      const bool known_module = module != kUnknownSymbol;
      name = fmt::format("[{}]", known_module ? module.substr(module.rfind('/') + 1) : "unknown");
    }
    TidyPerfName(&name);
    if (is_java_ && name.starts_with('L') && name.find('/') != std::string::npos) name.erase(0, 1);
    return name;
  }

  Frames MakeFrames(std::string_view symbol, std::string_view module, FrameKind kind) {
    Frames frames{static_cast<uint32_t>(frames_.size()), 0};
    std::string demangled;
    if (DemangleRust(symbol, &demangled)) symbol = demangled;
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

  // `may_lack_module`: what has neither symbol nor module may still be a frame.
  bool AddFrame(std::string_view line, bool may_lack_module) {
    const size_t address = SkipSpace(line, 0);
    size_t address_end = address;
    while (address_end < line.size() && IsAddressWord(line[address_end])) ++address_end;
    if (address_end == address) return false;
    const size_t at = SkipSpace(line, address_end);
    // The symbol extends to the last " (", the module to the last ")".
    const size_t close = line.rfind(')');
    const size_t open = close == std::string_view::npos ? close : line.substr(0, close).rfind(" (");
    if (open == std::string_view::npos || open < address_end) {
      return may_lack_module && AddFrameWithoutModule(line, address, address_end);
    }
    const std::string_view module = line.substr(open + 2, close - open - 2);
    std::string_view symbol = kUnknownSymbol;  // -F ip,dso
    if (open > at) {
      symbol = WithoutPerfOffset(WithoutSpaceAtEnd(line.substr(at, open - at)));
    } else if (open > address_end) {
      symbol = " ";  // "7f1e2215d058  (/lib/libc.so)", as in the other tools
    }
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
    AddFrames(frames);
    if (open > at) KeepLine(line, at, symbol.size(), open, frames);
    return true;
  }

  bool AddFrameWithoutModule(std::string_view line, size_t address, size_t address_end) {
    // -F ip,sym: "\t7f00 main". Source lines begin with two blanks.
    const bool is_address = SkipHexNumber(line, address) == address_end;
    if (!is_address || line.find(" (", address_end) != std::string_view::npos) return false;
    std::string_view symbol = Trim(line.substr(address_end));
    if (!symbol.empty() && !IsSpaceOrTab(line[address_end])) return false;
    if (symbol.empty()) symbol = kUnknownSymbol;  // -F ip
    AddFrames(symbols_[is_java_][kNative].Get(WithoutPerfOffset(symbol), [&](std::string_view text) {
      return MakeFrames(text, kUnknownSymbol, FrameKind::kNative);
    }));
    return true;
  }

  void AddFrames(Frames frames) {
    for (uint32_t i = frames.count; i > 0; --i) leaf_first_.push_back(frames_[frames.begin + i - 1]);
  }

  // Appends the source line to the name of the last frame.
  void AddSourceLine(std::string_view line) {
    if (leaf_first_.empty()) return;
    const std::string_view place = Trim(line.substr(0, line.find('[')));
    if (place.empty()) return;
    const Profile& profile = builder_->profile();
    const Frame frame = profile.frames.Get(leaf_first_.back());
    leaf_first_.back() = builder_->AddFrame(fmt::format("{}:{}", profile.strings.Get(frame.name), place), frame.kind);
  }

  // The two places that a line may have, the newer one first.
  KnownLine* PlacesOf(const char* line) {
    const char* const address = line + kAddressBegin;
    return &known_lines_[is_java_]
                        [MixHash(Load(address) * 31 + Load(address + 8)) % (known_lines_[is_java_].size() / 2) * 2];
  }

  void KeepLine(std::string_view line, size_t symbol_begin, size_t symbol_size, size_t rest_begin, Frames frames) {
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

  bool AddKnownLine(std::string_view line) {
    if (known_lines_[is_java_].empty() || line.size() <= kSymbolBegin || line[0] != '\t') return false;
    const KnownLine* const places = PlacesOf(line.data());
    return AddIfSame(places[0], line) || AddIfSame(places[1], line);
  }

  bool AddIfSame(const KnownLine& known, std::string_view line) {
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

  // A header ends a sample even without an empty line, as without -g.
  bool BeginsSample(std::string_view line, const PerfHeader& header) const {
    if (!in_sample_) return true;
    if (has_frame_in_header_)
      return header.has_address || !header.time.empty() || LooksLikeFrame(header.rest) || !LooksLikeFrame(line);
    if (IsSpaceOrTab(line[0])) return !header.time.empty();
    // Some scripts lost the blanks before addresses.
    return !header.time.empty() || !header.event.empty() || !LooksLikeFrame(line);
  }

  Result<void> AddLine(std::string_view line) {
    if (++line_number_ == 1 && (line.starts_with(kPerfData) || line.starts_with(kPerfDataSwapped))) {
      return Fail(fmt::format("{}: this is perf's binary format; run perf script -i FILE >perf.txt and read perf.txt",
                              builder_->options().name));
    }
    if (line.starts_with('#')) return {};
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (!short_header_.empty()) {
      const std::string short_header = std::exchange(short_header_, {});
      if (!LooksLikeFrame(line) && !IsPaddedFrame(line) && !(line.starts_with('\t') && HasLongAddress(line))) {
        if (Result<void> kept = NotASample(short_header_line_, short_header); !kept) return kept;
      } else {
        BeginSample(ParseShortPerfHeader(short_header));
      }
    }
    if (line.empty()) {
      EndSample();
      return {};
    }
    if (!in_sample_ && IsPaddedFrame(line)) BeginSample({});
    // A stack's first line may be another sample's; later ones that are indented are tried as frames first.
    const bool is_indented = IsSpaceOrTab(line[0]);
    if (!in_sample_ || !is_indented || leaf_first_.empty() || has_frame_in_header_) {
      if (const std::optional<PerfHeader> header = ParsePerfHeader(line); header && BeginsSample(line, *header)) {
        BeginSample(*header);
        return {};
      }
    }
    const size_t frames_in_header = has_frame_in_header_ ? leaf_first_.size() : 0;
    if (in_sample_ && AddFrame(line, line[0] == '\t')) {
      leaf_first_.erase(leaf_first_.begin(), leaf_first_.begin() + static_cast<ptrdiff_t>(frames_in_header));
      has_frame_in_header_ = false;
      return {};
    }
    if (in_sample_ && is_indented) {
      if (Trim(line).empty()) return {};
      // `perf script -F +srcline` prints "  file.cpp:137" after each frame, or "library[27b25]" if the source is
      // unknown.
      if (line.find_first_of(":[") != std::string_view::npos) {
        if (builder_->options().source_lines) AddSourceLine(line);
        return {};
      }
    }
    if (!in_sample_) {
      short_header_ = line;
      short_header_line_ = line_number_;
      return {};
    }
    is_damaged_ = true;
    return builder_->Damaged(
        fmt::format("line {}: expected an address, a symbol and (module), or an empty line, found '{}'", line_number_,
                    line.substr(0, kShownBytes)));
  }

  // The damage of a line that no sample begins with.
  Result<void> NotASample(uint64_t number, std::string_view line) {
    return builder_->Damaged(
        fmt::format("line {}: expected a sample such as 'java 1/2 [000] 3.4: 5 cycles:', found '{}'", number,
                    line.substr(0, kShownBytes)));
  }

  ProfileBuilder* builder_;
  uint64_t line_number_ = 0;
  // A line that may be a sample's first, if the one below it is a frame; its number.
  std::string short_header_;
  uint64_t short_header_line_ = 0;
  bool has_samples_ = false;
  bool has_frames_ = false;  // any sample has frames
  bool in_sample_ = false;
  bool has_frame_in_header_ = false;
  bool is_damaged_ = false;  // a line of the sample could not be read
  bool is_java_ = false;     // the current sample's command is Java
  bool has_command_ = false;
  FrameId command_ = 0;
  Sample sample_;
  std::vector<FrameId> leaf_first_;
  std::vector<FrameId> frames_;
  TextCache<FrameId> commands_;
  TextCache<Frames> symbols_[2][4];        // by is_java_ and ModuleKind
  TextCache<Frames> unknown_[2];           // "[unknown] (module)", by is_java_
  std::vector<KnownLine> known_lines_[2];  // by is_java_
  size_t kept_lines_[2] = {};              // so far, in each of them
  StringTable known_texts_;
};

}  // namespace

bool LooksLikePerfScript(std::string_view head) {
  if (head.starts_with(kPerfData) || head.starts_with(kPerfDataSwapped)) return true;
  // A sample's first line with an address behind it or below it.
  bool after_sample = false, after_event = false, after_address = false, is_first = true;
  bool only_records = true, has_records = false;  // records of --show-mmap-events and the like may fill the head
  while (!head.empty()) {
    const std::string_view line = WithoutCarriageReturn(TakeLine(&head));
    if (line.empty() || line[0] == '#') continue;
    if (IsPaddedFrame(line)) return true;
    const bool is_record = line.find("PERF_RECORD_") != std::string_view::npos;
    has_records |= is_record;
    only_records &= is_record || head.empty();  // the last line may be cut
    // Without -g, each line has an address after any other fields.
    const size_t address = FindPaddedAddress(line);
    const bool has_address = address != std::string_view::npos && HasLongAddress(line.substr(address));
    const bool is_source_line = line.starts_with("  ") && line.size() > 2 && line[2] != ' ';
    if (after_address && !has_address && is_source_line) continue;
    if (has_address && (after_address || (is_first && head.empty()))) return true;
    is_first = false;
    after_address = has_address;
    if (after_sample && LooksLikeFrame(line) && HasDigitInAddress(line)) return true;
    // -F ip, -F ip,sym
    if (after_event && line[0] == '\t' && HasLongAddress(line)) return true;
    const std::optional<PerfHeader> header = ParsePerfHeader(line);
    after_sample = after_event = false;
    if (!header || header->is_record) continue;
    const bool has_event = !header->event.empty(), has_time = !header->time.empty();
    if (LooksLikeFrame(header->rest) && (has_time || has_event || HasLongAddress(header->rest))) return true;
    after_event = has_event && has_time;
    after_sample = after_event || header->rest.empty();
  }
  return after_event || (has_records && only_records);
}

Result<void> ReadPerfScript(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  return ReadLines<PerfScriptReader>(std::move(source), builder);
}

}  // namespace sparkprof
