// SPDX-License-Identifier: Apache-2.0
#include "serve_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/foreign_application.h"
#include "analysis/profile_diff.h"
#include "base/text.h"
#include "flame_options.h"
#include "render/diff_output.h"

namespace sparkprof {
namespace {

// Options that are of no use without a command line, or that read and write files of the server.
constexpr std::string_view kNotForRequests =
    "output application by-input input-format lenient share nameattr cp json help addrs srcline leaks tail latency";

// Formats that are not in this list are binary.
struct ContentType {
  std::string_view format;
  std::string_view type;
};
constexpr ContentType kContentTypes[] = {
    {"svg", "image/svg+xml"},
    {"html", "text/html; charset=utf-8"},
    {"collapsed", "text/plain; charset=utf-8"},
    {"text", "text/plain; charset=utf-8"},
    {"json", "application/json"},
    {"speedscope", "application/json"},
    {"firefox", "application/json"},
};

std::string ContentTypeOf(std::string_view format) {
  const auto* const known = std::find_if(std::begin(kContentTypes), std::end(kContentTypes),
                                         [format](const ContentType& type) { return type.format == format; });
  return std::string(known == std::end(kContentTypes) ? "application/octet-stream" : known->type);
}

// Parses a request's parameters as the long options of `command`. Fails for those that are unknown or not for requests.
Result<void> ParseParameters(const HttpParameters& parameters, CLI::App* command) {
  std::vector<std::string> arguments;
  const std::vector<std::string_view> excluded = Split(kNotForRequests, ' ');
  for (const auto& [name, value] : parameters) {
    const CLI::Option* const option = name.size() < 2 || name.front() == '-' || name.find('=') != std::string::npos
                                          ? nullptr
                                          : command->get_option_no_throw("--" + name);
    if (option == nullptr || std::find(excluded.begin(), excluded.end(), name) != excluded.end()) {
      return Fail(fmt::format("unknown parameter '{}'", name));
    }
    if (option->get_items_expected_max() > 0) {
      // An empty field of a form is an option that was not given.
      if (value.empty()) continue;
      arguments.push_back(fmt::format("--{}={}", name, value));
    } else if (value.empty() || value == "true" || value == "1") {
      arguments.push_back("--" + name);
    } else if (value != "false" && value != "0") {
      return Fail(fmt::format("{}: '{}' is not true or false", name, value));
    }
  }
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
  try {
    command->parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    return Fail(error.what());
  }
  return {};
}

Picture Misused(const Error& error) { return {.status = PictureStatus::kMisuse, .problem = error.message}; }

Picture Draw(const FlameOptions& options, Result<LoadedProfile> loaded) {
  if (!loaded) return Misused(loaded.error());
  Picture picture;
  if (loaded->why_empty.empty()) {
    OutputFile memory = OutputFile::ToMemory(&picture.content);
    if (const Result<void> drawn = DrawFlame(options, &*loaded, &memory); !drawn) return Misused(drawn.error());
  }
  if (!loaded->why_empty.empty()) {
    return {.status = PictureStatus::kEmpty, .problem = loaded->why_empty};
  }
  picture.content_type = ContentTypeOf(options.output.Writer().name);
  return picture;
}

// `sparkprof flame` with a request's parameters.
Result<void> ParseFlame(const HttpParameters& parameters, CLI::App* command, FlameOptions* options) {
  options->AddTo(*command);
  if (Result<void> parsed = ParseParameters(parameters, command); !parsed) return parsed;
  std::vector<std::string> inputs{"recording"};
  return options->Finish(*command, &inputs);
}

}  // namespace

Picture ServePictures::Flame(CachedAttempt* attempt, const HttpParameters& parameters) const {
  CLI::App command;
  FlameOptions options;
  if (const Result<void> parsed = ParseFlame(parameters, &command, &options); !parsed) return Misused(parsed.error());
  const ProfileNeeds needs = options.Needs();
  const std::optional<Language> language = ParseLanguage(options.input.selection.language);
  const bool fold = !options.input.selection.pyspark_frames && !needs.answers;
  const std::shared_ptr<const Application> application = attempt->In(language.value_or(Language::kMerged), fold);
  return Draw(options, SelectProfile(*application, *attempt->GetAnswers(), options.input, needs));
}

Picture ServePictures::Flame(Profile profile, const HttpParameters& parameters) const {
  CLI::App command;
  FlameOptions options;
  if (const Result<void> parsed = ParseFlame(parameters, &command, &options); !parsed) return Misused(parsed.error());
  return Draw(options, SelectProfile(std::move(profile), options.input));
}

Picture ServePictures::Diff(Profile before, Profile after, const HttpParameters& parameters) const {
  CLI::App command;
  ProfileOutputOptions output;
  bool normalize = false;
  output.AddTo(command);
  command.add_flag("--normalize", normalize);
  if (const Result<void> parsed = ParseParameters(parameters, &command); !parsed) return Misused(parsed.error());
  std::vector<std::string> inputs{"before", "after"};
  if (const Result<void> finished = output.Finish(&inputs, 2, /*last_is_output=*/false); !finished) {
    return Misused(finished.error());
  }
  Profile together = PutTogether(before, 0, after, 0, normalize);
  if (together.samples.empty()) {
    return {.status = PictureStatus::kEmpty, .problem = "neither side has samples of this event"};
  }
  const std::string_view format = output.format.empty() ? "json" : output.Writer().name;
  Picture picture;
  picture.content_type = ContentTypeOf(format);
  OutputFile memory = OutputFile::ToMemory(&picture.content);
  if (format == "json") {
    WriteDiffJson(Compare(together, normalize), together.events[1].unit, normalize, &memory);
    (void)memory.Commit();
    return picture;
  }
  ProfileWriteOptions write{.event = 1, .base_event = 0, .svg = output.svg};
  if (write.svg.title.empty()) write.svg.title = "Differential Flame Graph";
  const Result<void> written = WriteProfileTo(ForeignApplication(std::move(together)), output, write, &memory);
  return written ? picture : Misused(written.error());
}

}  // namespace sparkprof
