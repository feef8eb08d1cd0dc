// SPDX-License-Identifier: Apache-2.0
// redaction_texts COUNT SEED: prints COUNT generated texts and their redaction by the C++ core, both in hexadecimal,
// one pair a line.
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

#include "base/redaction/redaction.h"
#include "redaction_generator.h"

namespace {

void Print(std::string_view text, char end) {
  for (const char c : text) std::printf("%02x", static_cast<unsigned char>(c));
  std::putchar(end);
}

// Pieces of redaction's grammar in any order: no text that anybody writes, but both must agree on it.
std::string Noise(std::mt19937* random) {
  constexpr std::string_view kPieces[] = {"password",
                                          "=",
                                          ":",
                                          "\"",
                                          "'",
                                          "\\",
                                          " ",
                                          ",",
                                          ";",
                                          "token",
                                          "key",
                                          "api",
                                          "_",
                                          "-",
                                          ".",
                                          "(",
                                          ")",
                                          "{",
                                          "}",
                                          "[",
                                          "]",
                                          "<",
                                          ">",
                                          "/",
                                          "&",
                                          "%22",
                                          "%3D",
                                          "@",
                                          "#",
                                          "\n",
                                          "12345",
                                          "abc",
                                          "&quot;",
                                          "://",
                                          "u",
                                          "Bearer ",
                                          "\\n",
                                          "sig",
                                          "?",
                                          "--",
                                          "curl -u ",
                                          "eyJ",
                                          "value",
                                          "$",
                                          "|",
                                          "-D",
                                          "\"\"",
                                          "\xc2\xa0",
                                          "\xe2\x80\x9c",
                                          "\xe2\x80\x8b",
                                          "\\u00a0",
                                          "\\u003d",
                                          "&nbsp;",
                                          "%C2%A0",
                                          "aes_decrypt",
                                          "aesDecrypt",
                                          "cast",
                                          " as ",
                                          "0123456789abcdef",
                                          "-----BEGIN PRIVATE KEY-----",
                                          "-----END PRIVATE KEY-----",
                                          "PuTTY-User-Key-File-2: x",
                                          "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7",
                                          "aGVsbG8=",
                                          "INFO x: ",
                                          "Version: 1",
                                          "\r\n",
                                          "a@b.com",
                                          "E'",
                                          "U&'",
                                          "$$",
                                          "for ",
                                          "identified with",
                                          " by ",
                                          "=>",
                                          "|a.password|",
                                          "spark.x.secret ",
                                          "AKIA0123456789ABCDEF",
                                          "lit(",
                                          "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                                          "sk-",
                                          "thin:",
                                          "oracle:oci:",
                                          "password(",
                                          "%252525",
                                          "https://"};
  std::string text;
  for (size_t i = 2 + (*random)() % 14; i > 0; --i) text += kPieces[(*random)() % std::size(kPieces)];
  return text;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  std::mt19937 random(static_cast<uint32_t>(std::atoi(arguments[2])));
  for (long i = std::atol(arguments[1]); i > 0; --i) {
    uint8_t bytes[40];
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    sparkprof::RedactionGenerator generator(bytes, sizeof bytes);
    const std::string text = i % 2 == 0 ? generator.Secret() : Noise(&random);
    Print(text, '\t');
    Print(sparkprof::RedactText(text), '\n');
  }
  return 0;
}
