// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formats/perf_script/perf_header.h"
#include "formats/text_cache.h"
#include "model/profile_builder.h"
#include "model/string_table.h"

namespace sparkprof {

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

  // Whole lines. Call again with what follows, and Finish at the end.
  Result<void> AddLines(std::string_view lines);
  Result<void> Finish();

  static bool LooksLike(std::string_view head);

 private:
  // The frames of a symbol (several if perf merged inlined calls into one), a part of frames_, from caller to callee.
  struct Frames {
    uint32_t begin = 0;
    uint32_t count = 0;
  };
  enum ModuleKind { kNative, kKernel, kJit, kInlined };
  static ModuleKind KindOf(std::string_view module);

  // Known lines by address: the same address usually has the same function. The complete line is compared, so a reused
  // address does no harm.
  struct KnownLine {
    char address[16] = {};       // as the line has it
    const char* text = nullptr;  // "symbol (module)", without an offset; null = not used
    uint16_t symbol_size = 0;
    uint16_t rest_size = 0;  // of " (module)"
    FrameId frame = 0;
  };

  Result<void> AddLine(std::string_view line);
  // Appends the source line to the name of the last frame.
  void AddSourceLine(std::string_view line);
  // Adds the frame if its line is known.
  bool AddKnownLine(std::string_view line);
  bool AddIfSame(const KnownLine& known, std::string_view line);
  void KeepLine(std::string_view line, size_t symbol_begin, size_t symbol_size, size_t rest_begin, Frames frames);
  // The two places that a line may have, the newer one first.
  KnownLine* PlacesOf(const char* line);
  bool BeginsSample(std::string_view line, const PerfHeader& header) const;
  void BeginSample(const PerfHeader& header);
  void EndSample();
  // `may_lack_module`: what has neither symbol nor module may still be a frame.
  bool AddFrame(std::string_view line, bool may_lack_module);
  bool AddFrameWithoutModule(std::string_view line, size_t address, size_t address_end);
  // The damage of a line that no sample begins with.
  Result<void> NotASample(uint64_t number, std::string_view line);
  void AddFrames(Frames frames);
  Frames MakeFrames(std::string_view symbol, std::string_view module, FrameKind kind);
  std::string FunctionName(std::string_view symbol, std::string_view module) const;

  ProfileBuilder* builder_;
  uint64_t line_number_ = 0;

  // A line that may be a sample's first, if the one below it is a frame; its number.
  std::string short_header_;
  uint64_t short_header_line_ = 0;

  bool has_samples_ = false;
  bool has_frames_ = false;  // of any sample
  bool in_sample_ = false;
  bool has_frame_in_header_ = false;
  bool is_damaged_ = false;  // a line of the sample could not be read
  bool is_java_ = false;     // of the current sample's command
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

}  // namespace sparkprof
