// SPDX-License-Identifier: Apache-2.0
// Replaces the commands of apps/sparkprof/collector in a build without them (SPARKPROF_COLLECTOR=OFF), which takes half
// the time.
#include "collector_parts.h"
#include "verb.h"

namespace sparkprof {
namespace {

std::function<int()> DefineMissing(CLI::App& command) {
  command.allow_extras();
  command.set_help_flag();
  return [name = command.get_name()] {
    return Complain("this build has no collector, so it has no `" + name + "`; run `make build` to add it");
  };
}

}  // namespace

std::function<int()> DefineServe(CLI::App& command) { return DefineMissing(command); }
std::function<int()> DefineCollector(CLI::App& command) { return DefineMissing(command); }
std::function<int()> DefineProve(CLI::App& command) { return DefineMissing(command); }
std::function<int()> DefineSuite(CLI::App& command) { return DefineMissing(command); }
std::function<int()> DefineFleet(CLI::App& command) { return DefineMissing(command); }

Result<std::vector<std::string>> FindLogsOfJob(const std::string&, const std::string&) {
  return Fail("this build has no collector, so it cannot read a fleet; run `make build` to add it");
}

Result<std::string> ParquetOf(const Table&) {
  return Fail("this build has no collector, so it cannot write Parquet; run `make build` to add it, or use --csv");
}

Result<AutoAnswer> AskForSettings(const AutoQuestion&) {
  return Fail("this build has no collector, so it cannot set sizes automatically; run `make build` to add it");
}

}  // namespace sparkprof
