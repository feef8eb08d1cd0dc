// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.redaction;

import java.util.List;

/**
 * Takes secrets out of text. redaction/README.md specifies the rule; src/base/redaction/ is the same in C++, file by
 * file. Redacting twice is the same as once. Linear in the size of the text.
 */
public final class TextRedaction {
  public static final String REPLACEMENT = "*********(redacted)";

  /**
   * Text is redacted until nothing changes: a replacement can close a quotation, so that what follows becomes the value
   * of a name.
   */
  private static final int MOST_PASSES = 16;

  private TextRedaction() {}

  /** The text without its secrets; the same object when it has none. */
  public static String redact(String text) {
    String redacted = redactOnce(text);
    for (int pass = 1; redacted != text; pass++) {
      String again = redactOnce(redacted);
      if (again.equals(redacted)) {
        break;
      }
      if (pass == MOST_PASSES) {
        return REPLACEMENT;
      }
      redacted = again;
    }
    return redacted;
  }

  private static String redactOnce(String text) {
    List<int[]> secrets = SecretSearch.find(text);
    return secrets.isEmpty() ? text : without(text, secrets);
  }

  /** The text with its secrets, which begin in ascending order, replaced. */
  static String without(String text, List<int[]> secrets) {
    StringBuilder redacted = new StringBuilder(text.length());
    int copied = 0;
    for (int[] secret : secrets) {
      if (secret[0] > copied || copied == 0) {
        redacted.append(text, copied, secret[0]).append(REPLACEMENT);
      }
      copied = Math.max(copied, secret[1]);
    }
    return redacted.append(text, copied, text.length()).toString();
  }

  /**
   * `value` of the setting `name`: redacted as a whole when the name is a secret's, otherwise its text; the same object
   * when it has no secret.
   */
  public static String redactSetting(String name, String value) {
    if (value.isEmpty()) {
      return value;
    }
    // The class path is a setting for each jar.
    boolean isSecret = SecretName.isSecret(name)
        && (SecretName.sparkRedacts(name) && !name.endsWith(".jar")
            || !SecretValue.isHarmless(value, SecretName.secrecyOf(name, "")));
    return isSecret ? REPLACEMENT : redact(value);
  }
}
