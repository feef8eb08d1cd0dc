// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/escaped_text.h"
#include "base/time.h"
#include "prove/proof.h"

namespace sparkprof {
namespace {

// The colors of the report (web/src/style/page.css).
constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>
:root { --background: #fff; --panel: #f6f7f9; --line: #d9dde3; --text: #15181c; --quiet: #565d66; --accent: #0b5cad; --bad: #b3261e;
  --good: #1a6b3c; --bar: #cfe0f3; color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { --background: #16191d; --panel: #1c2025; --line: #343a42; --text: #e7eaee;
  --quiet: #a3abb5; --accent: #7db7f5; --bad: #ff8a80; --good: #6fcf97; --bar: #27425e; } }
body { margin: 0 auto; max-width: 960px; padding: 16px; color: var(--text); background: var(--background);
  font: 13px/1.4 system-ui, sans-serif; font-variant-numeric: tabular-nums; }
h1 { font-size: 17px; } h2 { font-size: 13px; margin: 20px 0 6px; } p { margin: 4px 0; }
.good { color: var(--good); } .bad { color: var(--bad); } .quiet { color: var(--quiet); }
code, pre { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 12px; overflow-wrap: anywhere; white-space: pre-wrap; }
table { border-collapse: collapse; } th, td { padding: 3px 8px; text-align: right; border-bottom: 1px solid var(--line); }
th { color: var(--quiet); font-size: 12px; } th:first-child, td:first-child { text-align: left; }
.runs td { border: 0; padding: 1px 8px; } .runs .bar { width: 560px; padding: 0; } .runs tr.first td { padding-top: 6px; }
.bar i { display: block; height: 12px; background: var(--bar); } .bar i.after { background: var(--accent); }
.axis { position: relative; height: 34px; max-width: 640px; background: var(--panel); border-bottom: 1px solid var(--line); }
.axis i, .axis span { position: absolute; } .axis i { top: 4px; height: 12px; background: var(--bar); }
.axis i.median { width: 3px; margin-left: -1px; background: var(--accent); }
.axis i.zero { top: 0; width: 1px; height: 100%; background: var(--quiet); }
.axis span { bottom: 0; font-size: 11px; color: var(--quiet); transform: translateX(-50%); white-space: nowrap; }
</style>
)";

class PageWriter {
 public:
  PageWriter(const Proof& proof, const ProofSubject& subject) : proof_(proof), subject_(subject) {}

  std::string Write(std::string_view details) {
    const std::string verdict = TextOf(proof_);
    html_ = fmt::format("{}<title>{}</title></head><body>\n", kHead, EscapeXml(verdict));
    const bool is_bad = proof_.verdict != ProofVerdict::kProved && proof_.verdict != ProofVerdict::kNoDifference;
    html_ += fmt::format("<h1 class=\"{}\">{}</h1>\n",
                         proof_.verdict == ProofVerdict::kProved ? "good"
                         : is_bad                                ? "bad"
                                                                 : "",
                         EscapeXml(verdict));
    if (!subject_.change.empty()) html_ += fmt::format("<p><code>{}</code></p>\n", EscapeXml(subject_.change));
    html_ +=
        fmt::format("<p class=\"quiet\">{}{}{}</p>\n", subject_.group.empty() ? "" : EscapeXml(subject_.group) + " · ",
                    FormatTimestamp(subject_.time_ms * kNanosPerMilli),
                    subject_.finding.empty() ? "" : " · advised by " + EscapeXml(subject_.finding));
    if (const MeasureEffect* const effect = proof_.Of(proof_.decisive)) {
      WriteInterval(*effect);
      WriteRuns();
      WriteTable();
    }
    html_ += fmt::format("<h2>Details</h2>\n<pre>{}</pre>\n</body></html>\n", EscapeXml(details));
    return std::move(html_);
  }

 private:
  void WriteInterval(const MeasureEffect& effect) {
    const RunsEffect& change = effect.effect;
    if (!std::isfinite(change.high)) return;
    // Extends the axis to zero, with a margin.
    const double low = std::min({change.low, change.median, 0.0}), high = std::max({change.high, change.median, 0.0});
    const double room = std::max(0.01, 0.1 * (high - low)), begin = low - room, width = high - low + 2 * room;
    const auto place = [&](double value) { return 100 * (value - begin) / width; };
    html_ += fmt::format("<h2>{}: {}, with 95% between {} and {}</h2>\n<div class=\"axis\">", TitleOf(effect.measure),
                         PercentText(change.median), PercentText(change.low), PercentText(change.high));
    html_ += fmt::format(R"(<i style="left:{:.2f}%;width:{:.2f}%"></i><i class="median" style="left:{:.2f}%"></i>)",
                         place(change.low), place(change.high) - place(change.low), place(change.median));
    html_ += fmt::format(R"(<i class="zero" style="left:{:.2f}%"></i><span style="left:{:.2f}%">no change</span>)",
                         place(0), place(0));
    html_ += "</div>\n";
  }

  void WriteRuns() {
    double largest = 0;
    for (const auto* const runs : {&proof_.before, &proof_.after}) {
      for (const RunMeasures& run : *runs) {
        if (const double value = run.Get(proof_.decisive); value > largest) largest = value;
      }
    }
    if (largest <= 0) return;
    html_ += "<h2>Measured runs</h2>\n<table class=\"runs\">\n";
    if (proof_.recorded) {
      for (const RunMeasures& run : proof_.before) WriteRun("recorded", "", run, largest);
      for (const RunMeasures& run : proof_.after) WriteRun("after", "after", run, largest);
    } else {
      for (size_t pair = 0; pair < std::min(proof_.before.size(), proof_.after.size()); ++pair) {
        WriteRun(fmt::format("{} before", pair + 1), "", proof_.before[pair], largest);
        WriteRun("after", "after", proof_.after[pair], largest);
      }
    }
    html_ += "</table>\n";
  }

  void WriteRun(std::string_view label, std::string_view side, const RunMeasures& run, double largest) {
    const double value = run.Get(proof_.decisive);
    if (!(value >= 0)) return;
    html_ +=
        fmt::format(R"(<tr{}><td>{}</td><td class="bar"><i class="{}" style="width:{:.2f}%"></i></td><td>{}</td></tr>)",
                    side.empty() ? " class=\"first\"" : "", label, side, 100 * value / largest,
                    EscapeXml(MeasureValueText(proof_.decisive, value, proof_.currency)));
    html_ += '\n';
  }

  void WriteTable() {
    html_ += "<h2>Measures</h2>\n<table><tr><th></th><th>before</th><th>change</th><th>95%</th><th></th></tr>\n";
    for (const MeasureEffect& effect : proof_.effects) {
      const RunsEffect& change = effect.effect;
      html_ += fmt::format(
          "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"bad\">{}</td></tr>\n", TitleOf(effect.measure),
          EscapeXml(MeasureValueText(effect.measure, effect.before, proof_.currency)), PercentText(change.median),
          std::isfinite(change.high) ? fmt::format("{} to {}", PercentText(change.low), PercentText(change.high)) : "–",
          effect.decision == RunsDecision::kSlower ? "got worse" : "");
    }
    html_ += "</table>\n";
  }

  const Proof& proof_;
  const ProofSubject& subject_;
  std::string html_;
};

}  // namespace

std::string ProofPage(const Proof& proof, const ProofSubject& subject, std::string_view details) {
  return PageWriter(proof, subject).Write(details);
}

}  // namespace sparkprof
