// SPDX-License-Identifier: Apache-2.0
#include "render/profile_html.h"

#include <numeric>
#include <vector>

#include "analysis/application_profile.h"
#include "render/report_data.h"

namespace sparkprof {

Result<void> WriteProfileHtml(const Profile& profile, const std::string& note, OutputFile* output) {
  const Application application = ApplicationOf(profile);
  std::vector<uint32_t> rows(application.samples.size());
  std::iota(rows.begin(), rows.end(), 0);
  const ReportOptions options{
      .start_tab = "flame", .note = note, .budget = kProfileHtmlBudget, .events = profile.events};
  const Result<std::string> page = RenderReport(application, {}, rows, options);
  if (!page) return tl::unexpected(page.error());
  output->Append(*page);
  return {};
}

}  // namespace sparkprof
