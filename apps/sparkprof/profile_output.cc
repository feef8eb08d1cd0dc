// SPDX-License-Identifier: Apache-2.0
#include "profile_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>
#include <vector>

#include "base/output_file.h"
#include "number_checks.h"
#include "output_name.h"
#include "share_option.h"
#include "verb.h"

namespace sparkprof {
namespace {

// As flamegraph.pl names it.
const std::string kPaletteMapFile = "palette.map";

}  // namespace

void TransformOptions::AddTo(CLI::App& command) {
  command.add_option("-I,--include", transform.include, "Keep stacks with a matching frame")->type_name("RE2");
  command.add_option("-X,--exclude", transform.exclude, "Drop stacks with a matching frame")->type_name("RE2");
  command.add_option("--focus", transform.focus, "Make the matching frame the root; drop other stacks")
      ->type_name("RE2");
  command.add_option("--trim", transform.trim, "Merge everything below the matching frame into it")->type_name("RE2");
  command.add_flag("--collapse-recursion", transform.collapse_recursion, "Merge recursive calls");
  command.add_flag("--lines", lines, "One frame per line of a function");
  command.add_flag("--no-lines", no_lines, "One frame per function, without lines");
  command.add_flag("--simple-names,--simple", transform.simple_names, "Omit packages from names");
  command.add_flag("--merge-lambdas,--norm", transform.merge_lambdas,
                   "Omit numbers from generated names: $$Lambda, GeneratedIteratorForCodegenStage");
  command.add_flag("--strip-hex", transform.strip_hex, "Replace addresses in names by 0x...");
  command.add_option("--skip", transform.skip, "Drop this many frames at the root")->type_name("NUMBER");
  command.add_flag("--kernel", transform.annotate_kernel, "Append _[k] to kernel frames");
  command.add_flag("--jit", transform.annotate_jit, "Append _[j] to compiled and _[i] to inlined frames");
  command.add_flag_callback(
      "--annotate,--ann,--all", [this] { transform.annotate_kernel = transform.annotate_jit = true; },
      "Both --kernel and --jit");
  command.add_flag("-t,--threads", transform.threads, "Add a root frame per thread");
  command.add_flag("--pid", transform.process_ids, "Append the process to the root: java-12");
  command.add_flag("--tid", transform.thread_ids, "Append process and thread to the root: java-12/13");
  command.add_flag("-r,--reverse", transform.reverse, "Merge stacks from their leaves");
}

ProfileTransform TransformOptions::For(const ProfileWriter& writer) const {
  ProfileTransform result = transform;
  result.lines = lines || (writer.keeps_lines && !no_lines);
  result.python_lines = !no_lines;
  return result;
}

void ProfileOutputOptions::AddTo(CLI::App& command) {
  std::vector<std::string> names;
  for (const ProfileWriter& writer : ProfileWriters()) names.emplace_back(writer.name);
  command.add_option("--format", format, fmt::format("{} (default: by the output's name)", fmt::join(names, ", ")))
      ->check(CLI::IsMember(names))
      ->type_name("FORMAT");
  command.add_flag("--json", json, "Same as --format json");
  command.add_option("-o,--output", output, "Output file (default: standard output), or a format: -o html")
      ->type_name("FILE");
  AddShareTo(command);
  command.add_option("--highlight", svg.highlight, "Highlight matching frames (svg, html)")->type_name("RE2");
  AddSvgTo(command);
}

void ProfileOutputOptions::AddSvgTo(CLI::App& command) {
  const char* const kGroup = "SVG, with the names of flamegraph.pl";
  command.add_option("--title", svg.title, "Title")->group(kGroup);
  command.add_option("--subtitle", svg.subtitle, "Second line")->group(kGroup);
  command.add_option("--notes", svg.notes, "Description")->group(kGroup);
  command.add_option("--width", svg.width, "Width in pixels")->check(CLI::Range(100, 100'000))->group(kGroup);
  command.add_option("--height", svg.frame_height, "Height of a frame")->check(CLI::Range(4, 200))->group(kGroup);
  command.add_option("--minwidth", min_width, "Minimum width of a frame: pixels, or percent such as 0.5%")
      ->group(kGroup);
  command.add_option("--fonttype", svg.font_family, "Font")->group(kGroup);
  command.add_option("--fontwidth", svg.font_width, "Width of a character, relative to the font size")
      ->check(CLI::Range(0.1, 3.0))
      ->group(kGroup);
  command.add_option("--fontsize", svg.font_size, "Font size")->check(CLI::Range(4, 100))->group(kGroup);
  command.add_option("--countname", svg.count_name, "Unit of the weights: samples")->group(kGroup);
  command.add_option("--total", svg.total, "Total weight, if larger than the sum of all frames")
      ->check(AtLeast(0))
      ->group(kGroup);
  command.add_option("--factor", svg.factor, "Multiply displayed weights by this")
      ->check(MoreThanZero())
      ->group(kGroup);
  command.add_option("--nametype", svg.name_type, "Kind of the names: Function:")->group(kGroup);
  command.add_option("--colors,--color", palette, fmt::format("Colors: {}", PaletteNames()))->group(kGroup);
  command.add_option("--bgcolors,--bgcolor", background, "Background: yellow, blue, green, grey or #rrggbb")
      ->group(kGroup);
  command.add_flag("--hash", by_hash, "Similar colors for similar names")->group(kGroup);
  command.add_flag("--random", random, "Random colors")->group(kGroup);
  command.add_flag("--cp", consistent, "Read and write the colors of names in ./palette.map")->group(kGroup);
  command.add_option("--nameattr", name_attributes, "Links, classes and titles for frames: NAME<tab>ATTRIBUTE=VALUE…")
      ->type_name("FILE")
      ->group(kGroup);
  command.add_option("--encoding", encoding, "Encoding: UTF-8")->group(kGroup);
  command.add_flag("-i,--inverted", svg.inverted, "Draw the root at the top")->group(kGroup);
  command.add_flag("--negate", svg.negate, "Swap red and blue")->group(kGroup);
}

Result<void> ProfileOutputOptions::Finish(std::vector<std::string>* inputs, size_t least_inputs, bool last_is_output) {
  if (json && !format.empty() && format != "json")
    return Fail(fmt::format("--json and --format {} contradict each other", format));
  if (json) format = "json";
  const Result<bool> resolved = ResolveOutput(ProfileOutputs(), {.inputs = inputs,
                                                                 .output = &output,
                                                                 .format = &format,
                                                                 .least_inputs = least_inputs,
                                                                 .last_is_output = last_is_output});
  if (!resolved) return tl::unexpected(resolved.error());
  named_after_input = *resolved;
  if (!palette.empty()) {
    svg.palette = ParsePalette(palette);
    if (!svg.palette) return Fail(fmt::format("--colors: unknown palette {}; use one of {}", palette, PaletteNames()));
  }
  std::string upper = encoding;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  if (!upper.empty() && upper != "UTF-8" && upper != "UTF8") {
    return Fail(fmt::format(
        "--encoding: unsupported encoding {}; only UTF-8 is supported (convert the input with iconv)", encoding));
  }
  if (by_hash && random) return Fail("--hash and --random are mutually exclusive");
  svg.color_by = by_hash ? ColorBy::kHash : random ? ColorBy::kRandom : ColorBy::kName;
  if (!background.empty()) {
    svg.background = ParseBackground(background);
    if (!svg.background)
      return Fail(fmt::format("--bgcolors: unknown color {}; use yellow, blue, green, grey or #rrggbb", background));
  }
  if (!svg.highlight.empty()) {
    const RE2 expression(svg.highlight, RE2::Quiet);
    if (!expression.ok()) {
      return Fail(fmt::format("--highlight: invalid regular expression '{}': {}", svg.highlight, expression.error()));
    }
    if (Writer().name != "svg" && Writer().name != "html") return Fail("--highlight requires --format svg or html");
  }
  std::string_view number = min_width;
  svg.min_width_is_percent = number.ends_with('%');
  if (svg.min_width_is_percent) number.remove_suffix(1);
  const auto parsed = std::from_chars(number.data(), number.data() + number.size(), svg.min_width);
  if (parsed.ec != std::errc() || parsed.ptr != number.data() + number.size() || svg.min_width < 0) {
    return Fail(
        fmt::format("--minwidth: invalid width '{}'; use pixels such as 0.1 or percent such as 0.5%", min_width));
  }
  return {};
}

const ProfileWriter& ProfileOutputOptions::Writer() const {
  if (!format.empty()) return *FindProfileWriter(format);
  const ProfileWriter* by_name = ProfileWriterForPath(output);
  return by_name != nullptr ? *by_name : *FindProfileWriter("collapsed");
}

Result<void> Show(const ProfileTransform& transform, bool one_event, LoadedProfile* loaded) {
  Result<Profile> shown = Transform(std::move(loaded->application.profile), transform,
                                    one_event ? std::optional<EventId>(loaded->event) : std::nullopt);
  if (!shown) return tl::unexpected(shown.error());
  loaded->application.profile = std::move(*shown);
  if (one_event) loaded->event = 0;
  return {};
}

Result<void> WriteProfile(const Application& application, const ProfileOutputOptions& options,
                          const ProfileWriteOptions& write_options) {
  Result<OutputFile> file = CreateOutput(options.output, &options.Writer());
  if (!file) return tl::unexpected(file.error());
  if (Result<void> written = WriteProfileTo(application, options, write_options, &*file); !written) return written;
  if (options.named_after_input) Complain(fmt::format("wrote {}", options.output));
  return {};
}

Result<void> WriteProfileTo(const Application& application, const ProfileOutputOptions& options,
                            const ProfileWriteOptions& write_options, OutputFile* file) {
  ProfileWriteOptions write = write_options;
  PaletteMap palette_map;
  NameAttributes name_attributes;
  if (!options.name_attributes.empty()) {
    if (Result<void> read = name_attributes.Read(options.name_attributes); !read) return read;
    write.svg.name_attributes = &name_attributes;
  }
  const bool consistent = options.consistent && options.Writer().name == "svg";
  if (consistent) {
    if (Result<void> read = palette_map.Read(kPaletteMapFile); !read) return read;
    write.svg.palette_map = &palette_map;
  }
  if (Result<void> written = options.Writer().write(application, write, file); !written) return written;
  if (Result<void> committed = file->Commit(); !committed) return committed;
  return consistent ? palette_map.Write(kPaletteMapFile) : Result<void>();
}

}  // namespace sparkprof
