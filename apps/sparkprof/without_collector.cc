// SPDX-License-Identifier: Apache-2.0
// The commands of apps/sparkprof/collector in a build without them (SPARKPROF_COLLECTOR=OFF), which takes half the
// time.
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
std::function<int()> DefineStore(CLI::App& command) { return DefineMissing(command); }
std::function<int()> DefineSuite(CLI::App& command) { return DefineMissing(command); }

}  // namespace sparkprof
