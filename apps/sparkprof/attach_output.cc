// SPDX-License-Identifier: Apache-2.0
#include "apps/sparkprof/attach_output.h"

#include <fmt/format.h>

#include "apps/sparkprof/recording_options.h"
#include "apps/sparkprof/verb.h"

namespace sparkprof {
namespace {

std::string FormatOf(const AttachRequest& request) {
  if (!request.format.empty()) return request.format;
  const size_t dot = request.output.rfind('.');
  return dot == std::string::npos ? "collapsed" : request.output.substr(dot + 1);
}

}  // namespace

Result<void> CheckOutputFormat(const AttachRequest& request) {
  const std::string format = FormatOf(request);
  if (format == "jfr") return {};
  return Fail(fmt::format("there is no format '{}'; there are jfr", format));
}

int WriteAttachOutput(const AttachRequest& request, const FileDescriptor& recording, bool) {
  const auto file = MappedFile::Open(fmt::format("/proc/self/fd/{}", recording.Get()));
  if (!file) return Complain(file.error().message);
  const Result<void> written = WriteOutput(request.output, std::string(file->Bytes()));
  return written ? kExitSuccess : Complain(written.error().message);
}

}  // namespace sparkprof
