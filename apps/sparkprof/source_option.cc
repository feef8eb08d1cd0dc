// SPDX-License-Identifier: Apache-2.0
#include "source_option.h"

#include "model/own_redaction.h"

namespace sparkprof {

void AddSourceTo(CLI::App& command, std::string* folder) {
  command
      .add_option(
          "--source", *folder,
          "Folder with the source code of the job: the report shows the lines of sampled functions and contains "
          "their files")
      ->check(CLI::ExistingDirectory)
      ->type_name("DIR");
}

Result<SourceFiles> SourcesOf(const Application& application, const std::string& folder) {
  if (folder.empty()) return SourceFiles();
  OwnRedaction redaction;
  redaction.ReadStrings(application);
  return FindSources(application.profile, folder, [&](std::string_view text) { return redaction.Text(text); });
}

}  // namespace sparkprof
