// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "base/io/byte_source.h"
#include "base/result.h"
#include "model/samples/profile_builder.h"

namespace sparkprof {

// The decompressed bytes by which a format is recognized.
inline constexpr size_t kFormatHeadSize = size_t{64} << 10;

// Reads all of `source`, in the format of the function's name, into `builder`; damage fails unless lenient.
using FormatReader = Result<void>(std::unique_ptr<ByteSource> source, ProfileBuilder* builder);
// Whether content that starts with `head` (up to kFormatHeadSize bytes) has the format of the function's name.
using FormatTest = bool(std::string_view head);

// The functions of the table in profile_formats.cc. Each format is described where its reader is defined, in the folder
// of the format.
FormatReader ReadAsprofHtml, ReadAsprofText, ReadAustinText, ReadBpftrace, ReadCallTree, ReadFirefox, ReadFlameSvg,
    ReadLegacyPprof, ReadMojo, ReadOtlp, ReadPerfScript, ReadPprof, ReadPstats, ReadPySpyDump, ReadPyroscope,
    ReadPythonSampling, ReadRecordsProfile, ReadReportPage, ReadSpeedscope, ReadStatsd, ReadThreadDump, ReadTraceEvents;
FormatTest LooksLikeAsprofHtml, LooksLikeAsprofText, LooksLikeAustinText, LooksLikeBpftrace, LooksLikeCallTree,
    LooksLikeFirefox, LooksLikeFlameSvg, LooksLikeLegacyPprof, LooksLikeMojo, LooksLikeOtlp, LooksLikePerfScript,
    LooksLikePprof, LooksLikePstats, LooksLikePySpyDump, LooksLikePyroscope, LooksLikePythonSampling, LooksLikeRecords,
    LooksLikeReportPage, LooksLikeSpeedscope, LooksLikeStatsd, LooksLikeThreadDump, LooksLikeTraceEvents;

}  // namespace sparkprof
