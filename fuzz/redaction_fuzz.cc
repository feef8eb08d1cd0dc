// SPDX-License-Identifier: Apache-2.0
// No planted secret survives, harmless text stays, and redacting twice is the same as once, whatever the text.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/redaction/redaction.h"
#include "redaction_generator.h"

namespace {

void Demand(bool holds, const char* what, std::string_view text, std::string_view redacted) {
  if (holds) return;
  std::fprintf(stderr, "%s\ntext:     %.*s\nredacted: %.*s\n", what, static_cast<int>(text.size()), text.data(),
               static_cast<int>(redacted.size()), redacted.data());
  std::abort();
}

void CheckTwice(std::string_view text, const std::string& redacted) {
  const std::string twice = sparkprof::RedactText(redacted);
  Demand(twice == redacted, "redacting twice differs", text, redacted + "\ntwice:    " + twice);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using sparkprof::RedactionGenerator;
  const std::string_view raw(reinterpret_cast<const char*>(data), size);
  CheckTwice(raw, sparkprof::RedactText(raw));

  RedactionGenerator generator(data, size);
  const std::string secret = generator.Secret();
  const std::string redacted = sparkprof::RedactText(secret);
  Demand(redacted.find(RedactionGenerator::kMarker) == std::string::npos, "a secret survives", secret, redacted);
  CheckTwice(secret, redacted);

  const std::string harmless = generator.Harmless();
  const std::string kept = sparkprof::RedactText(harmless);
  Demand(kept == harmless, "harmless text changes", harmless, kept);
  return 0;
}
