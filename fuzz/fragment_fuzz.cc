// SPDX-License-Identifier: Apache-2.0
// Any text as a fragment of its kind, or of one that its size selects. All numbers of findings are in range.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fragments/fragment_answer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto types = sparkprof::FragmentTypes();
  const std::string text(reinterpret_cast<const char*>(data), size);
  const sparkprof::FragmentType* const type = sparkprof::RecognizeFragment(text);
  sparkprof::Input input;
  input.path = "pasted";
  input.fragment = type == nullptr ? &types[size % types.size()] : type;
  input.parts.push_back(
      {"pasted",
       [&text] { return sparkprof::Result<std::unique_ptr<sparkprof::ByteSource>>(sparkprof::StringSource(text)); }});
  const sparkprof::Result<sparkprof::FragmentAnswer> answer = sparkprof::AnswerFragment(input);
  if (!answer) return 0;
  for (const sparkprof::Finding& finding : answer->answers.findings) {
    if (finding.saving.low_ns < 0 || finding.saving.low_ns > finding.saving.high_ns || finding.expected_share > 1)
      std::abort();
  }
  return 0;
}
