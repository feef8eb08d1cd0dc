// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "apps/sparkprof/verb.h"

namespace sparkprof {
namespace {

struct Verb {
  const char* name;
  const char* purpose;
  DefineVerb* define;
};

constexpr Verb kVerbs[] = {
    {"report", "Write a recording's report: one HTML file", DefineReport},
    {"flame", "Write a flame graph of any part of a recording", DefineFlame},
    {"info", "Say what is in a recording and how complete it is", DefineInfo},
};

int Main(int argc, char** argv) {
  CLI::App app("sparkprof tells where the time and memory of a Spark job went, by job, stage and task.", "sparkprof");
  app.set_version_flag("--version", "sparkprof " SPARKPROF_VERSION);
  app.require_subcommand(1);
  app.footer("`sparkprof VERB --help` shows a verb's options and examples.");
  std::function<int()> chosen;
  for (const Verb& verb : kVerbs) {
    CLI::App* command = app.add_subcommand(verb.name, verb.purpose);
    command->callback([&chosen, run = verb.define(*command)] { chosen = run; });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    return app.exit(help_or_version);
  } catch (const CLI::ParseError& error) {
    return Complain(fmt::format("{}; see `sparkprof --help`", error.what()));
  }
  return chosen();
}

}  // namespace

int Complain(const std::string& message, int exit_code) {
  fmt::print(stderr, "sparkprof: {}\n", message);
  return exit_code;
}

}  // namespace sparkprof

int main(int argc, char** argv) {
  try {
    return sparkprof::Main(argc, argv);
  } catch (const std::exception& error) {
    return sparkprof::Complain(error.what());
  }
}
