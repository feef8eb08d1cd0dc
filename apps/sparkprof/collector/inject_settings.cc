// SPDX-License-Identifier: Apache-2.0
#include "inject_settings.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "base/text/text.h"
#include "http/url.h"
#include "verb.h"

namespace sparkprof {
namespace {

// Parses "10%" to 0.1.
Result<double> ParsePercent(std::string_view text) {
  std::string_view digits = Trim(text);
  if (digits.ends_with('%')) digits.remove_suffix(1);
  double percent = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), percent);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.size() == Trim(text).size() ||
      !(percent >= 0 && percent <= 100)) {
    return Fail(fmt::format("--inject-share: \"{}\" is not a share from 0% to 100%, such as 10%", text));
  }
  return percent / 100;
}

}  // namespace

Result<std::optional<InjectOptions>> InjectSettings::Finish(bool has_tls) const {
  if (!is_on) {
    const bool has_more = !image.empty() || !server.empty();
    if (has_more) return Fail("--inject-image and --inject-server configure the admission webhook; add --inject");
    return std::nullopt;
  }
  if (!has_tls) return Fail("--inject: Kubernetes calls webhooks by HTTPS; add --tls-cert and --tls-key");
  if (image.empty()) return Fail("--inject requires --inject-image, an image with the plugin's jar");
  if (server.empty() || !ParseUrl(server)) {
    return Fail(fmt::format("--inject-server: \"{}\" is not a URL such as http://sparkprof.monitoring:8320", server));
  }
  const Result<double> chosen = ParsePercent(share);
  if (!chosen) return tl::unexpected(chosen.error());
  return InjectOptions{.image = image, .server = server, .secret = secret, .share = *chosen};
}

void AddInjectTo(CLI::App& command, InjectSettings* settings) {
  command.add_flag("--inject", settings->is_on,
                   "Answer the admission webhook of Kubernetes at /mutate, which adds the plugin to pods of Spark "
                   "drivers; requires --tls-cert");
  AddOption(command, "--inject-image IMAGE", &settings->image,
            "Image with the plugin's jar, for an init container; the nodes must be able to pull it");
  AddOption(command, "--inject-server URL", &settings->server, "Address of the collector for these pods");
  AddOption(command, "--inject-secret NAME", &settings->secret,
            "Secret with the collector's token under the key ingest; each namespace with drivers needs it")
      ->capture_default_str();
  AddOption(command, "--inject-share PERCENT", &settings->share, "Share of the applications to profile, by their ID")
      ->capture_default_str();
}

}  // namespace sparkprof
