// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "base/byte_source.h"
#include "base/result.h"
#include "model/profile_builder.h"

namespace sparkprof {

// sparkprof's own pages: report.html, and the flame graphs that it writes as HTML. The samples in their data
// (docs/report-data.md) are merged by time bucket; what the page left out becomes a note. In a page that compares two
// profiles, the weights of the baseline are those of the event "before".
Result<void> ReadReportPage(std::unique_ptr<ByteSource> source, ProfileBuilder* builder);

bool LooksLikeReportPage(std::string_view head);

}  // namespace sparkprof
