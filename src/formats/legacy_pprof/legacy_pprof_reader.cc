// SPDX-License-Identifier: Apache-2.0
#include "formats/legacy_pprof/legacy_pprof_reader.h"

#include <optional>
#include <string>

#include "formats/legacy_pprof/cpu_profile.h"
#include "formats/legacy_pprof/legacy_profile.h"
#include "formats/legacy_pprof/text_profiles.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxLegacyPprofSize = size_t{2} << 30;

}  // namespace

bool LooksLikeLegacyPprof(std::string_view head) {
  return LooksLikeCpuProfile(head) || KindOfLegacyText(head) != LegacyText::kNone;
}

Result<void> ReadLegacyPprof(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  std::optional<Error> damage;
  const std::string bytes = ReadUpTo(source.get(), kMaxLegacyPprofSize, &damage);
  if (damage) {
    if (Result<void> kept = builder->Damaged(damage->message); !kept) return kept;
  }
  LegacyProfile profile(builder);
  const LegacyText kind = KindOfLegacyText(bytes);
  Result<void> outcome =
      kind == LegacyText::kNone ? ReadCpuProfile(bytes, &profile) : ReadLegacyText(kind, bytes, &profile);
  if (outcome) profile.AddToProfile();
  return outcome;
}

}  // namespace sparkprof
