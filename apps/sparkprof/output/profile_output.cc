// SPDX-License-Identifier: Apache-2.0
#include "output/profile_output.h"

#include <fmt/format.h>

#include "output/output_name.h"
#include "pictures/draw.h"

namespace sparkprof {

Result<bool> FinishRequest(PictureKind kind, std::vector<std::string>* inputs, PictureRequest* request) {
  if (request->json && !request->format.empty() && request->format != "json") {
    return Fail(fmt::format("--json and --format {} contradict each other", request->format));
  }
  if (request->json) request->format = "json";
  const Result<bool> named_after_input = ResolveOutput(
      ProfileOutputs(), {.inputs = inputs,
                         .output = &request->output,
                         .format = &request->format,
                         .least_inputs = kind == PictureKind::kDiff ? size_t{2} : size_t{1},
                         .last_is_output = kind == PictureKind::kDiff || kind == PictureKind::kConversion});
  if (!named_after_input) return named_after_input;
  if (Result<void> finished = request->Finish(); !finished) return tl::unexpected(finished.error());
  return named_after_input;
}

Result<void> WriteProfile(const Application& application, const PictureRequest& request,
                          const ProfileWriteOptions& write_options) {
  Result<OutputFile> file = CreateOutput(request.output, &request.Writer());
  return file ? Write(application, request, write_options, &*file) : tl::unexpected(file.error());
}

}  // namespace sparkprof
