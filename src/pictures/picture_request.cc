// SPDX-License-Identifier: Apache-2.0
#include "pictures/picture_request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/text/text.h"
#include "formats/profile_formats.h"
#include "model/samples/sample.h"
#include "pictures/format_options.h"

namespace sparkprof {
namespace {

bool IsInputFormat(std::string_view name) { return name == kRecordingFormat || FindProfileFormat(name) != nullptr; }

Result<void> FinishInput(PictureRequest* request) {
  SelectionOptions& selection = request->selection;
  std::string& input_format = request->input_format;
  if (request->leaks && selection.event.empty()) selection.event = EventName(Event::kMalloc);
  request->event_was_given = !selection.event.empty();
  if (!request->event_was_given) selection.event = EventName(Event::kCpu);
  if (!input_format.empty() && !IsInputFormat(input_format)) {
    return Fail(fmt::format("--input-format: unknown format {}; use one of {}", input_format,
                            fmt::join(InputFormatNames(), ", ")));
  }
  const Result<Selection> good = request->ParseSelection();
  return good ? Result<void>() : tl::unexpected(good.error());
}

Result<void> FinishColors(PictureRequest* request) {
  SvgOptions& svg = request->svg;
  if (!request->palette.empty()) {
    svg.palette = ParsePalette(request->palette);
    if (!svg.palette) {
      return Fail(fmt::format("--colors: unknown palette {}; use one of {}", request->palette, PaletteNames()));
    }
  }
  if (request->by_hash && request->random) return Fail("--hash and --random are mutually exclusive");
  svg.color_by = request->by_hash ? ColorBy::kHash : request->random ? ColorBy::kRandom : ColorBy::kName;
  if (!request->background.empty()) {
    svg.background = ParseBackground(request->background);
    if (!svg.background) {
      return Fail(
          fmt::format("--bgcolors: unknown color {}; use yellow, blue, green, grey or #rrggbb", request->background));
    }
  }
  return {};
}

Result<void> FinishWidth(PictureRequest* request) {
  SvgOptions& svg = request->svg;
  std::string_view number = request->min_width;
  svg.min_width_is_percent = number.ends_with('%');
  if (svg.min_width_is_percent) number.remove_suffix(1);
  const auto parsed = std::from_chars(number.data(), number.data() + number.size(), svg.min_width);
  if (parsed.ec == std::errc() && parsed.ptr == number.data() + number.size() && svg.min_width >= 0) return {};
  return Fail(fmt::format("--minwidth: invalid width '{}'; use pixels such as 0.1 or percent such as 0.5%",
                          request->min_width));
}

Result<void> FinishOutput(PictureRequest* request) {
  if (Result<void> colors = FinishColors(request); !colors) return colors;
  std::string encoding = request->encoding;
  std::transform(encoding.begin(), encoding.end(), encoding.begin(), [](unsigned char c) { return std::toupper(c); });
  if (!encoding.empty() && encoding != "UTF-8" && encoding != "UTF8") {
    return Fail(
        fmt::format("--encoding: unsupported encoding {}; only UTF-8 is supported (convert the input with iconv)",
                    request->encoding));
  }
  const std::string_view format = request->Writer().name;
  if (const std::string& highlight = request->svg.highlight; !highlight.empty()) {
    const RE2 expression(highlight, RE2::Quiet);
    if (!expression.ok()) {
      return Fail(fmt::format("--highlight: invalid regular expression '{}': {}", highlight, expression.error()));
    }
    if (format != "svg" && format != "html") return Fail("--highlight requires --format svg or html");
  }
  if (request->counts && format != "collapsed") return Fail("--counts requires --format collapsed");
  if (request->svg.flame_chart && format != "svg") return Fail("--flamechart requires --format svg");
  return FinishWidth(request);
}

}  // namespace

std::vector<std::string_view> InputFormatNames() {
  std::vector<std::string_view> names{kRecordingFormat};
  for (const ProfileFormat& format : ProfileFormats()) names.push_back(format.name);
  return names;
}

Result<void> PictureRequest::Finish() {
  if (Result<void> finished = FinishInput(this); !finished) return finished;
  if (normalize && absolute) return Fail("--normalize and --absolute are mutually exclusive");
  return FinishOutput(this);
}

const ProfileWriter& PictureRequest::Writer() const {
  if (!format.empty()) return *FindProfileWriter(format);
  const ProfileWriter* by_name = ProfileWriterForPath(output);
  return by_name != nullptr ? *by_name : *FindProfileWriter("collapsed");
}

ProfileNeeds PictureRequest::Needs() const {
  const ProfileWriter& writer = Writer();
  ProfileNeeds needs;
  needs.threads = transform.NeedsThreads() || writer.keeps_threads;
  needs.answers = writer.name == "html";
  needs.bucket_ns = writer.bucket_ns;
  if (svg.flame_chart) {
    needs.keep_order = true;
    needs.bucket_ns = 1;
  }
  return needs;
}

ProfileTransform PictureRequest::TransformForWriter() const {
  ProfileTransform result = transform;
  result.lines = lines || (Writer().keeps_lines && !no_lines);
  result.python_lines = !no_lines;
  return result;
}

ProfileTransform PictureRequest::PlainTransform() const {
  ProfileTransform result = transform;
  result.lines = lines;
  return result;
}

Result<ThreadState> PictureRequest::State() const {
  bool runs = state.empty(), sleeps = state.empty();
  for (const std::string_view name : Split(state, ',')) {
    if (state.empty()) break;
    if (name != "runnable" && name != "sleeping") {
      return Fail(fmt::format("--state: unknown state {}; use runnable or sleeping", name));
    }
    (name == "runnable" ? runs : sleeps) = true;
  }
  if (runs && sleeps) return ThreadState::kUnknown;
  return runs ? ThreadState::kRunning : ThreadState::kSleeping;
}

Result<Selection> PictureRequest::ParseSelection() const {
  Result<Selection> parsed = selection.Parse();
  if (!parsed) return parsed;
  const Result<ThreadState> shown = State();
  if (!shown) return tl::unexpected(shown.error());
  parsed->state = *shown;
  return parsed;
}

Result<void> PictureRequest::CheckFormat(std::string_view format_of_input, const std::string& input) const {
  const bool of_some_states = State().value_or(ThreadState::kUnknown) != ThreadState::kUnknown;
  for (const auto& [given, option] :
       {std::pair(of_some_states, &kStateOption), std::pair(leaks, &kLeaksOption),
        std::pair(latency_ms.has_value(), &kLatencyOption), std::pair(addresses, &kAddressesOption),
        std::pair(source_lines, &kSourceLinesOption)}) {
    if (!given || option->Fits(format_of_input)) continue;
    return Fail(fmt::format("{}: {}: {} has no {}; supported: {}", input, option->option, format_of_input, option->data,
                            fmt::join(Split(option->formats, ' '), ", ")));
  }
  return {};
}

Result<void> PictureRequest::CheckEvent(const Application& of) const {
  if (of.is_foreign || ParseEvent(selection.event)) return {};
  std::vector<std::string_view> names;
  for (const Event known : kAllEvents) names.push_back(EventName(known));
  return Fail(fmt::format("--event: {} is not one of {}", selection.event, fmt::join(names, ", ")));
}

Result<PictureRequest> ParsePictureParameters(PictureKind kind,
                                              const std::vector<std::pair<std::string, std::string>>& parameters) {
  PictureRequest request;
  if (Result<void> set = SetOptions(request.Options(kind), parameters); !set) return tl::unexpected(set.error());
  if (Result<void> finished = request.Finish(); !finished) return tl::unexpected(finished.error());
  SvgOptions& svg = request.svg;
  const double pixels = svg.min_width_is_percent ? svg.min_width / 100 * svg.width : svg.min_width;
  if (pixels < kLeastRequestWidth) {
    return Fail(fmt::format("minwidth: {} must be at least {} pixels", request.min_width, kLeastRequestWidth));
  }
  if (svg.max_depth > kMaxRequestDepth) {
    return Fail(fmt::format("depth: {} must be from 1 to {}", svg.max_depth, kMaxRequestDepth));
  }
  if (svg.max_depth == 0) svg.max_depth = kMaxRequestDepth;
  return request;
}

}  // namespace sparkprof
