// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sparkprof {

// Texts with a secret planted in them, chosen by bytes: every text is one that redaction must find.
class RedactionGenerator {
 public:
  static constexpr std::string_view kMarker = "Zq7Xv9Kp2Lw4Rt8Y";

  RedactionGenerator(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  // A secret under a secret name, or of a secret's shape, written, quoted and nested in some way.
  std::string Secret() {
    std::string text = Pick(4) == 0 ? Shape() : Assignment();
    const size_t depth = Pick(4);
    for (size_t i = 0; i < depth; ++i) text = Nested(text);
    return Prefix() + text + Suffix();
  }

  // Nothing of it may change.
  std::string Harmless() {
    static constexpr std::string_view kTexts[] = {
        "Running task 0.0 in stage 3.0 (TID 17)",
        "spark.sql.shuffle.partitions=200",
        "author=joe primary.key=id keyspace=ks1",
        "password.file=/etc/x",
        "spark.authenticate=false",
        "http://host:8080/path?mail=a@b.com",
        "struct<token:string,password:string>",
        "first pass: reading 3 files",
        "PARTITION_KEY=region",
        "at org.apache.spark.SecretManager.getPassword(SecretManager.scala:55)",
        "abfss://container@account.dfs.core.windows.net/path",
        "maxTokens=512 tokenizer=bert compass=north",
        "hashpartitioning(token#3, 200)",
    };
    std::string text;
    for (size_t i = Pick(3) + 1; i > 0; --i) text.append(text.empty() ? "" : " ; ").append(Any(kTexts));
    return text;
  }

  size_t Pick(size_t count) {
    if (at_ >= size_) return 0;
    return data_[at_++] % count;
  }

 private:
  template <size_t kCount>
  std::string_view Any(const std::string_view (&choices)[kCount]) {
    return choices[Pick(kCount)];
  }

  // Words of a name in some case and with some separator.
  std::string Name() {
    static constexpr std::string_view kNames[] = {"password",
                                                  "passwd",
                                                  "db pwd",
                                                  "secret",
                                                  "client secret",
                                                  "access token",
                                                  "api key",
                                                  "private key",
                                                  "account key",
                                                  "access key",
                                                  "secret key",
                                                  "encryption key",
                                                  "passphrase",
                                                  "my pass",
                                                  "db password",
                                                  "auth token",
                                                  "signing key",
                                                  "shared access key",
                                                  "storage key",
                                                  "session key",
                                                  "user credential",
                                                  "sas",
                                                  "master key",
                                                  "x secret value",
                                                  "fs s3a secret key",
                                                  "spark ssl key password"};
    static constexpr std::string_view kPrefixes[] = {"", "", "", "spark ", "my app ", "hadoop fs "};
    const std::string words = std::string(Any(kPrefixes)).append(Any(kNames));
    const size_t style = Pick(6);
    std::string name;
    bool begins = false;
    for (const char c : words) {
      if (c == ' ') {
        begins = true;
        constexpr std::string_view kSeparators = "._-";
        if (style < 3) name += kSeparators[style];
        if (style == 4) name += '_';
        continue;
      }
      const bool is_upper = style == 4 || (begins && style != 0 && style != 1 && style != 2);
      name += is_upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      begins = false;
    }
    return name;
  }

  // A password: the marker somewhere in a text.
  std::string Value(bool allows_blanks) {
    static constexpr std::string_view kPlain[] = {"", "", "", "a", "x1", "p@", "a/", "+", "a.b", "=", "$", "!"};
    static constexpr std::string_view kBlanks[] = {"", "two words ", "a, b ", "x; y=1 ", "(z) "};
    std::string value;
    if (allows_blanks) value += Any(kBlanks);
    value.append(Any(kPlain)).append(kMarker);
    constexpr std::string_view kEnds[] = {"", "", "==", "!", "x"};
    return value.append(Any(kEnds));
  }

  static std::string Escaped(std::string_view text, char quote) {
    std::string escaped;
    for (const char c : text) {
      if (c == quote || c == '\\') escaped += '\\';
      escaped += c;
    }
    return escaped;
  }

  std::string Assignment() {
    const std::string name = Name();
    switch (Pick(18)) {
      case 0:
        return name + "=" + Value(false);
      case 1:
        return name + " = " + Value(false);
      case 2:
        return name + "=\"" + Escaped(Value(true), '"') + "\"";
      case 3:
        return name + "='" + Escaped(Value(true), '\'') + "'";
      case 4:
        return "{\"" + name + "\":\"" + Escaped(Value(true), '"') + "\",\"user\":\"joe\"}";
      case 5:
        return "{\"" + name + "\" : \"" + Escaped(Value(true), '"') + "\"}";
      case 6:
        return "--" + name + "=" + Value(false);
      case 7:
        return "-D" + name + "=" + Value(false);
      case 8:
        return "--conf spark.x." + name + "=" + Value(false) + " --name a";
      case 9:
        return "Map(" + name + " -> " + Value(false) + ", user -> joe)";
      case 10:
        return "(" + name + "," + Value(false) + ")";
      case 11:
        return ".option(\"" + name + "\", \"" + Escaped(Value(true), '"') + "\")";
      case 12:
        return "<" + name + ">" + Value(true) + "</" + name + ">";
      case 13:
        return "<property><name>" + name + "</name><value>" + Value(true) + "</value></property>";
      case 14:
        return "SET spark.x." + name + "=" + Value(false);
      case 15:
        return "{" + name + "=" + Value(false) + ", user=joe}";
      case 16:
        return "https://h.org/p?a=1&" + name + "=" + std::string(kMarker) + "&b=2";
      default:
        return name + " => '" + Escaped(Value(true), '\'') + "'";
    }
  }

  std::string Shape() {
    const std::string marker(kMarker);
    switch (Pick(10)) {
      case 0:
        return "Authorization: Bearer " + marker;
      case 1:
        return "jdbc:postgresql://joe:" + marker + "@h:5432/db";
      case 2:
        return "s3a://joe:p@" + marker + "/x@bucket/path";
      case 3:
        return "jdbc:oracle:thin:joe/" + marker + "@h:1521:x";
      case 4:
        return "ghp_" + marker;
      case 5:
        return "https://a.blob.core.windows.net/c?sv=1&sig=" + marker + "%3D&se=2";
      case 6:
        return "curl -u joe:" + marker + " https://h.org";
      case 7:
        return "ALTER USER joe IDENTIFIED BY '" + marker + "'";
      case 8:
        return "-----BEGIN PRIVATE KEY-----\n" + marker + "\n-----END PRIVATE KEY-----";
      default:
        return "eyJhbGciOi." + marker + "." + marker;
    }
  }

  static std::string UrlEncoded(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string encoded;
    for (const char c : text) {
      const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
                            c == '_' || c == '-';
      if (is_plain) {
        encoded += c;
      } else {
        const auto byte = static_cast<unsigned char>(c);
        encoded.append(1, '%').append(1, kDigits[byte >> 4]).append(1, kDigits[byte & 15]);
      }
    }
    return encoded;
  }

  static std::string HtmlEscaped(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
      if (c == '"') {
        escaped += "&quot;";
      } else if (c == '<') {
        escaped += "&lt;";
      } else if (c == '>') {
        escaped += "&gt;";
      } else if (c == '&') {
        escaped += "&amp;";
      } else if (c == '\'') {
        escaped += "&#39;";
      } else {
        escaped += c;
      }
    }
    return escaped;
  }

  // A quote inside of quotes, in the form of CSV and SQL.
  static std::string Doubled(std::string_view text) {
    std::string doubled;
    for (const char c : text) doubled.append(c == '"' ? 2 : 1, c);
    return doubled;
  }

  std::string Nested(const std::string& text) {
    switch (Pick(9)) {
      case 6:
        return "https://h.org/go?to=" + UrlEncoded(text);
      case 7:
        return "<p>" + HtmlEscaped(text) + "</p>";
      case 8:  // once: nobody writes CSV inside of CSV
        return text.find("\"\"") != std::string::npos || text.find("\\\"") != std::string::npos ||
                       text.find("&quot;") != std::string::npos || text.find("%22") != std::string::npos
                   ? text
                   : "\"" + Doubled(text) + "\"";
      case 0: {
        std::string nested = "{\"user\":\"joe\",\"text\":\"";
        for (const char c : text) {
          if (c == '\n') {
            nested += "\\n";
            continue;
          }
          if (c == '"' || c == '\\') nested += '\\';
          nested += c;
        }
        return nested + "\",\"id\":7}";
      }
      case 1:
        return "[" + text + "]";
      case 2:
        return "run(" + text + ")";
      case 3:
        return "first\n" + text + "\nlast";
      case 4:
        return "java.lang.RuntimeException: " + text;
      default:
        return "user=joe " + text + " region=eu";
    }
  }

  std::string Prefix() {
    static constexpr std::string_view kPrefixes[] = {"", "", "INFO Main: ", "x=1, ", "\t", "a \"b\" c ", "key: v; "};
    return std::string(Any(kPrefixes));
  }

  std::string Suffix() {
    static constexpr std::string_view kSuffixes[] = {"", "", " done", ", y=2", "\n\tat org.x.Y(Y.java:1)", ";", " "};
    return std::string(Any(kSuffixes));
  }

  const uint8_t* data_;
  size_t size_;
  size_t at_ = 0;
};

}  // namespace sparkprof
