import { it } from 'vitest';
import { violations } from './axe.ts';
import { browser, origin, server } from './server_pages.ts';
it('axe', async () => {
  for (const path of [
    '/nothing',
    '/applications/unknown',
    '/groups/unknown',
    '/runs/999',
    '/compare?a=x&b=y',
    '/login?failed',
    '/compare',
    '/',
    '/fleet',
    '/longevity',
  ]) {
    const { page } = await browser.open(origin + path, { width: 1600, height: 1000 }, 'light', '.page-header, .login');
    await page.waitForTimeout(700);
    console.log(path, JSON.stringify(await violations(page)), (await page.locator('#app').innerText()).replace(/\s+/g, ' ').slice(0, 200));
    await page.close();
  }
  server.down = true;
  for (const path of ['/', '/groups', '/fleet', '/runs']) {
    const { page } = await browser.open(origin + path, { width: 1600, height: 1000 }, 'light', '.page-header, .login');
    await page.waitForTimeout(700);
    console.log(
      'down',
      path,
      JSON.stringify(await violations(page)),
      (await page.locator('#app').innerText()).replace(/\s+/g, ' ').slice(0, 200),
    );
    await page.close();
  }
  const url = browser.save('broken.html', '');
  void url;
});
