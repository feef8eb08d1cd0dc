// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/redaction/redaction.h"
#include "base/text/escaped_text.h"
#include "base/text/text.h"
#include "base/text/typing_errors.h"
#include "base/version.h"
#include "capture/run.h"
#include "inputs/remote_options.h"
#include "launch/spark_submit.h"
#include "output/help_format.h"
#include "output/progress.h"
#include "verbs.h"

namespace sparkprof {
namespace {

// Suggests the nearest option for an unknown one, even if it also causes something else to be missing.
std::string DescribeMisuse(const CLI::ParseError& error, const CLI::App& command) {
  const bool is_value = dynamic_cast<const CLI::ValidationError*>(&error) != nullptr ||
                        dynamic_cast<const CLI::ConversionError*>(&error) != nullptr;
  if (is_value) return error.what();
  const std::vector<std::string> unknown = command.remaining();
  const auto option = std::find_if(unknown.begin(), unknown.end(),
                                   [](const std::string& word) { return word.size() > 1 && word.front() == '-'; });
  if (option != unknown.end()) return DescribeUnknownArgument(command, *option);
  if (unknown.empty() || dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return error.what();
  return DescribeUnknownArgument(command, unknown.front());
}

// The first argument if it is not a command.
std::string_view UnknownVerb(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return {};
  for (const Verb& verb : Verbs()) {
    if (argv[1] == verb.name) return {};
  }
  return argv[1];
}

std::string VerbNames() {
  std::vector<std::string_view> names;
  for (const Verb& verb : Verbs()) {
    if (!verb.group.empty()) names.emplace_back(verb.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string DescribeUnknownVerb(std::string_view unknown) {
  NearestName nearest(unknown);
  for (const Verb& verb : Verbs()) nearest.Add(verb.name);
  std::error_code error;
  std::string advice;
  if (!nearest.Get().empty()) {
    advice = fmt::format("did you mean {}?", nearest.Get());
  } else if (std::filesystem::exists(unknown, error)) {
    advice = fmt::format("use `sparkprof flame {}` to draw a profile", ShellWord(unknown));
  } else {
    advice = fmt::format("use one of {}", VerbNames());
  }
  return fmt::format("unknown command '{}'; {}", unknown, advice);
}

int Main(int argc, char** argv) {
  CLI::App app("sparkprof shows where the time and memory of a Spark job went, by job, stage and task.", "sparkprof");
  app.set_version_flag("--version", NamedVersion());
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormat>());
  app.footer(
      "Run `sparkprof COMMAND --help` for the options and examples of a command. `sparkprof open` shows the last "
      "report, and `sparkprof whatif` predicts a run as `compare` does.\n\n"
      "`source <(sparkprof completion bash)` completes commands and options in bash; zsh and fish work the same way.");
  std::function<int()> chosen;
  for (const Verb& verb : Verbs()) {
    // Defines only the chosen command's options: defining all takes longer than running many commands.
    if (argc > 1 && argv[1] == verb.name) AddVerb(verb, &app, &chosen);
  }
  if (const std::string_view unknown = UnknownVerb(argc, argv); !unknown.empty()) {
    return Misuse(app, DescribeUnknownVerb(unknown));
  }
  if (argc < 2) return Complain(fmt::format("missing command; use one of {}; see `sparkprof --help`", VerbNames()));
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    return app.exit(help_or_version);
  } catch (const CLI::ParseError& error) {
    const std::vector<CLI::App*> chosen_verb = app.get_subcommands();
    const CLI::App& command = chosen_verb.empty() ? app : *chosen_verb.front();
    return Misuse(command, DescribeMisuse(error, command));
  }
  const Result<std::shared_ptr<void>> remote = FetchRemoteInputs();
  return remote ? chosen() : Complain(remote.error().message);
}

}  // namespace

void PrintNote(const std::string& text) { fmt::print(stderr, "sparkprof: {}\n", ToOneLine(RedactText(text))); }

int Complain(const std::string& message, int exit_code) {
  EraseProgress();
  fmt::print(stderr, "sparkprof: {}\n", ToOneLine(RedactText(WithUrls(message))));
  return exit_code;
}

int Misuse(const CLI::App& command, const std::string& message) {
  const std::string verb = command.get_parent() == nullptr ? "" : command.get_name() + " ";
  return Complain(fmt::format("{}{} `sparkprof {}--help`", message, message.ends_with('?') ? " See" : "; see", verb));
}

}  // namespace sparkprof

int main(int argc, char** argv) {
  try {
    if (const auto submit = sparkprof::SubmitNameOf(argv[0]))
      return sparkprof::Submit(*submit, {argv + 1, argv + argc});
    return sparkprof::Main(argc, argv);
  } catch (const std::bad_alloc&) {
    return sparkprof::Complain(
        "out of memory; read less at once (--application for a single application, --no-logs for no log lines), or "
        "use a machine with more memory");
  } catch (const std::exception& error) {
    return sparkprof::Complain(error.what());
  }
}
