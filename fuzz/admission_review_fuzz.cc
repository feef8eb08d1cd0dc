// SPDX-License-Identifier: Apache-2.0
// Every answer to a review admits the pod, and its patch is JSON.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "base/text/json_parser.h"
#include "base/text/text.h"
#include "inject/admission_review.h"
#include "inject/json_members.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const sparkprof::InjectOptions options{.image = "i", .server = "http://c", .secret = "s", .share = 0.9};
  const sparkprof::ReviewAnswer answer = sparkprof::AnswerReview({reinterpret_cast<const char*>(data), size}, options);
  sparkprof::JsonParser parser;
  simdjson::dom::element document;
  bool is_allowed = false;
  if (parser.Parse(answer.body).get(document) != simdjson::SUCCESS) std::abort();
  if (document["response"]["allowed"].get(is_allowed) != simdjson::SUCCESS || !is_allowed) std::abort();
  const std::string_view packed = sparkprof::MemberText(document, {"response", "patch"});
  if (packed.empty()) return 0;
  const std::optional<std::string> patch = sparkprof::Base64Decode(packed);
  sparkprof::JsonParser patch_parser;
  simdjson::dom::array operations;
  if (!patch || patch_parser.Parse(*patch).get(operations) != simdjson::SUCCESS) std::abort();
  return 0;
}
