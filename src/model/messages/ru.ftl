# Письма. У каждого текст и тема; общие части стоят в конце.

reset-password =
    Здравствуйте, { $name }!

    Кто-то, надеемся, что вы, запросил новый пароль. Задайте его в течение
    { $minutes } мин.:

    { $way }

    Если это были не вы, ничего не делайте: пароль останется прежним.
    .subject = { $service }: новый пароль

invitation =
    Здравствуйте!

    Вас приглашают работать в организации «{ $organization }». Примите приглашение
    в течение { $days } дн.:

    { $way }
    .subject = { $service }: приглашение от организации «{ $organization }»

unlock =
    Здравствуйте, { $name }!

    Кто-то, надеемся, что вы, не смог войти, потому что под вашим именем пробовали неверные
    пароли. В течение { $minutes } мин. ссылка делает ваш браузер известным, и пароль
    проверяется в нём без задержки:

    { $way }

    Если это были не вы, ничего не делайте.
    .subject = { $service }: вход

new-address =
    Здравствуйте, { $name }!

    Кто-то, надеемся, что вы, хочет указать этот адрес в учётной записи. Подтвердите в течение
    { $hours } ч., что он принадлежит вам:

    { $way }

    Если это были не вы, ничего не делайте.
    .subject = { $service }: подтвердите новый адрес

address-wanted =
    Здравствуйте, { $name }!

    Кто-то хотел указать этот адрес в учётной записи. Он уже принадлежит вашей учётной записи,
    и это не изменится. Делать ничего не нужно.
    .subject = { $service }: запрошен ваш адрес

changed =
    Здравствуйте, { $name }!

    В вашей учётной записи произошло изменение: { account-change }.

    Если это были не вы, сразу запросите новый пароль и сообщите Ассоциации.
    .subject = { $service }: { account-change }

assignment-made =
    Здравствуйте, { $name }!

    Ассоциация просит организацию «{ $organization }» прислать данные: { package-content },
    за дни с { $from } по { $to }. Последний день для отправки: { $due }.

    { remark }
    .subject = { $service }: пришлите данные до { $due }

assignment-due =
    Здравствуйте, { $name }!

    Организацию «{ $organization }» просили прислать данные: { package-content }, за дни
    с { $from } по { $to }. Последний день для отправки: { $due } ({ in-days }). Пока ничего не
    прислано.
    .subject = { $service }: срок отправки данных { in-days }

assignment-overdue =
    Здравствуйте, { $name }!

    Организацию «{ $organization }» просили прислать данные: { package-content }, за дни
    с { $from } по { $to }. Последний день для отправки был { $due }, задание не выполнено.
    .subject = { $service }: срок отправки данных истёк { $due }

package-read =
    Здравствуйте, { $name }!

    Строки пакета { $number } организации «{ $organization }» прочитаны.

    Строк: { $rows }
    Новых записей: { $created }
    Изменённых записей: { $updated }
    Строк задержано: { $held }
    .subject = { $service }: пакет { $number } прочитан

package-failed =
    Здравствуйте, { $name }!

    Пакет { $number } организации «{ $organization }» не удалось прочитать:
    { package-fault }.

    Подробности указаны в пакете. Пришлите исправленный файл или укажите, как его читать.
    .subject = { $service }: пакет { $number } не прочитан

package-returned =
    Здравствуйте, { $name }!

    Ассоциация вернула пакет { $number } организации «{ $organization }».

    { remark }
    .subject = { $service }: пакет { $number } возвращён

package-checked =
    Здравствуйте, { $name }!

    Ассоциация проверила и подписала пакет { $number } организации «{ $organization }». Он будет
    принят, как только организация «{ $organization }» согласится на публикацию данных.

    { remark }
    .subject = { $service }: пакет { $number } ждёт вашего согласия

package-accepted =
    Здравствуйте, { $name }!

    Пакет { $number } организации «{ $organization }» принят.
    .subject = { $service }: пакет { $number } принят

package-rejected =
    Здравствуйте, { $name }!

    Ассоциация отклонила пакет { $number } организации «{ $organization }».

    { remark }
    .subject = { $service }: пакет { $number } отклонён

request-approved =
    Здравствуйте, { $name }!

    Ассоциация одобрила заявку { $number } организации «{ $organization }».

    Одобрено животных: { $animals }
    Задержано животных: { $held }

    { remark }
    .subject = { $service }: заявка { $number } одобрена

package-comment =
    Здравствуйте, { $name }!

    Ассоциация написала комментарий к пакету { $number } организации «{ $organization }».

    { remark }
    .subject = { $service }: комментарий к пакету { $number }

package-farm-comment =
    Здравствуйте, { $name }!

    Организация «{ $organization }» написала комментарий к пакету { $number }.

    { remark }
    .subject = { $service }: «{ $organization }» о пакете { $number }

request-comment =
    Здравствуйте, { $name }!

    Ассоциация написала комментарий к заявке { $number } организации «{ $organization }».

    { remark }
    .subject = { $service }: комментарий к заявке { $number }

request-farm-comment =
    Здравствуйте, { $name }!

    Организация «{ $organization }» написала комментарий к заявке { $number }.

    { remark }
    .subject = { $service }: «{ $organization }» о заявке { $number }

request-rejected =
    Здравствуйте, { $name }!

    Ассоциация отклонила заявку { $number } организации «{ $organization }».

    { remark }
    .subject = { $service }: заявка { $number } отклонена

movement-pending =
    Здравствуйте, { $name }!

    Получатель записал { movements } из организации «{ $organization }». Запись вступит в силу,
    когда организация «{ $organization }» её подтвердит.
    .subject = { $service }: подтвердите { movements }

movement-received =
    Здравствуйте, { $name }!

    Продавец записал { movements } в организацию «{ $organization }». С этого времени животные
    числятся за ней. Если это не так, возразите в перемещении в течение 30 дней.
    .subject = { $service }: { movements } в организацию «{ $organization }»

movement-objected =
    Здравствуйте, { $name }!

    Покупатель возразил: { movements } из организации «{ $organization }», животные не его. Они
    остаются за организацией «{ $organization }»; причина указана в перемещении.
    .subject = { $service }: покупатель возразил, { movements }

access-requested =
    Здравствуйте, { $name }!

    Новых запросов на доступ к животным организации «{ $organization }»: { $count }. Ответьте на них.
    .subject = { $service }: { access-requests } на доступ

access-approved =
    Здравствуйте, { $name }!

    Владелец одобрил запрос организации «{ $organization }» от { $date } на доступ к животному.

    { remark }
    .subject = { $service }: запрос от { $date } на доступ одобрен

access-declined =
    Здравствуйте, { $name }!

    Владелец отклонил запрос организации «{ $organization }» от { $date } на доступ к животному.

    { remark }
    .subject = { $service }: запрос от { $date } на доступ отклонён

document-issued =
    Здравствуйте, { $name }!

    Ассоциация выдала организации «{ $organization }» документ: { $title }.

    { document-number }
    .subject = { $service }: выдан документ

# Части писем.

way-link =
    { $link }

    Если форма спросит токен, вот он:

    { $token }

way-call =
    У этой службы нет страницы для этого. Отправьте ей такой запрос или попросите отправить,
    заменив многоточия своими словами:

    { $call }

service-line =
    { $service }
    { $url }

work-lists =
    Здравствуйте, { $name }!

    Что предстоит сделать по стаду «{ $organization }» в ближайшие 7 дней:

    { work-dryOff }: { $dryOff }
    { work-calving }: { $calving }
    { work-pregnancyCheck }: { $pregnancyCheck }
    { work-open }: { $open }
    { work-repeat }: { $repeat }
    { work-cells }: { $cells }
    { work-noTest }: { $noTest }
    { work-milkWithdrawal }: { $milkWithdrawal }
    { work-meatWithdrawal }: { $meatWithdrawal }
    .subject = { $service }: работы недели

unsubscribe =
    Ваша учётная запись желает получать письма { wish-name }. Отказаться от них:
    { $link }

wish-name =
    { $flag ->
        [submissions] о пакетах
        [trust] о проверке, животных и документах
        [work] о работах недели
       *[other] { $flag }
    }

unsubscribe-ask = Больше не присылать письма { wish-name }?

unsubscribe-button = Не присылать

unsubscribe-done = Таких писем больше не будет. Их можно снова включить в учётной записи.

unsubscribe-unknown = Ссылка недействительна.

account-change =
    { $what ->
        [password] пароль
        [address] адрес, теперь { $to-address }
        [key-ended] ключ API отозван
        [key-new] новый ключ API
        [named-key-new] новый ключ API ({ $key })
        [named-key-revoked] ключ API отозван ({ $key })
        [second-factor-on] включён второй фактор
        [second-factor-off] второй фактор выключен
        [passkey-added] добавлен ключ доступа
        [passkey-removed] удалён ключ доступа
       *[other] { $what }
    }

package-content =
    { $dataset ->
        [none] { package-kind }
       *[other] { package-kind } ({ package-dataset })
    }

package-dataset =
    { $dataset ->
        [milkTests] контрольные доения
        [weighings] взвешивания
        [inseminations] осеменения
        [dailyMilkings] суточные удои
        [calvings] отёлы
        [dryOffs] запуски
        [abortions] аборты
        [milkingVisits] дойки
        [healthEvents] ветеринарные события
        [events] события
        [heats] охота
        [pregnancyChecks] проверки на стельность
        [movements] перемещения
        [animals] животные
        [shows] выставки
        [dnaTests] генетическая экспертиза
        [gradings] бонитировки
        [exteriors] оценки экстерьера
        [breedingValues] племенная ценность
       *[other] { $dataset }
    }

package-kind =
    { $kind ->
        [events] события
        [animals] животные
        [productivity] продуктивность
        [genomics] геномика
       *[other] { $kind }
    }

package-fault =
    { $code ->
        [internal] в работе сервера произошла ошибка, её видят администраторы
        [no-sender] пользователь, отправивший пакет, удалён или заблокирован
        [no-file] в пакете нет файла
        [file-too-large] файл слишком большой
        [unpacks-too-large] файл после распаковки слишком большой
        [packed-too-much] файл сжат так сильно, что не распаковывается
        [no-table] файл не является таблицей
        [unsupported-form] файлы такого вида не читаются
        [password] файл закрыт паролем
        [broken] файл повреждён
        [truncated] файл обрывается
        [entities] в файле объявлены сущности, которые не читаются
        [too-many-sheets] в файле слишком много листов
        [no-sheet] в файле нет листа
        [too-many-columns] в строке слишком много столбцов
        [too-many-rows] в файле слишком много строк
        [cell-too-long] слишком длинная ячейка
        [too-many-texts] в файле слишком много текстов
        [rows-out-of-order] строки файла идут не по порядку
        [wrong-encoding] кодировка файла непонятна, или в ней нет части его байтов
        [quote-not-closed] не закрыта кавычка
        [not-json] строка не является объектом JSON
        [unreadable] файл не удалось открыть
        [no-rows] в файле нет строк
        [no-header] в начале файла нет строки с двумя известными заголовками
        [no-set] столбцы не подходят ни к одному набору
        [set-unsure] столбцы подходят к нескольким наборам
        [missing-columns] нет столбцов, обязательных для набора
        [body-not-xml] файл не читается как XML
        [body-not-json] файл не читается как JSON
       *[other] файл не читается в таком виде
    }

in-days =
    { $days ->
        [0] сегодня
        [1] завтра
        [one] через { $days } день
        [few] через { $days } дня
       *[other] через { $days } дней
    }

remark =
    { $remarked ->
        [no] {""}
       *[yes] Примечание: { $comment }
    }

movements =
    { $count ->
        [one] { $count } перемещение
        [few] { $count } перемещения
       *[other] { $count } перемещений
    }

access-requests =
    { $count ->
        [one] { $count } запрос
        [few] { $count } запроса
       *[other] { $count } запросов
    }

document-number =
    { $numbered ->
        [no] {""}
       *[yes] Номер: { $number }
    }

# Свидетельства: члены снимка, слова книги, предложения страниц и PDF.
certificate-zootechnicalCertificate = Зоотехническое свидетельство
certificate-pedigreeCertificate = Племенное свидетельство
certificate-number = Номер
certificate-issuedAt = Дата выдачи
certificate-identNumber = Номер животного
certificate-name = Кличка
certificate-nameLatin = Кличка латиницей
certificate-registrationNumber = Номер в племенной книге
certificate-sex = Пол
certificate-female = женский
certificate-male = мужской
certificate-birthDate = Дата рождения
certificate-birthYear = Год рождения
certificate-breed = Порода
certificate-breedType = Внутрипородный тип
certificate-bloodPercent = Кровность по голштинской породе, %
certificate-improvers = Улучшающие породы
certificate-coatColor = Масть
certificate-trustLevel = Уровень доверия
certificate-owner = Владелец
certificate-breeder = Заводчик
certificate-unsm = Номер средства маркирования
certificate-isoId = Номер ISO 11784
certificate-internationalId = Международный номер
certificate-earTag = Ушная бирка
certificate-inventoryNumber = Инвентарный номер
certificate-chipNumber = Номер чипа
certificate-gpkMark = Марка ГПК
certificate-gpkNumber = Номер ГПК
certificate-originCountry = Страна происхождения
certificate-originNumber = Номер в стране происхождения
certificate-animal = Животное
certificate-pedigree = Родословная
certificate-place = Место
certificate-lactation = Лучшая лактация
certificate-lactations = Лактации
certificate-calvingDate = Отёл
certificate-dd = Дней
certificate-milkYield = Удой, кг
certificate-fatKg = Жир, кг
certificate-proteinKg = Белок, кг
certificate-milk305 = Удой за 305 дней, кг
certificate-fat305 = МДЖ за 305 дней, %
certificate-protein305 = МДБ за 305 дней, %
certificate-yieldMethod = Метод расчёта
certificate-standardCurves = стандартные кривые
certificate-index = Индекс племенной ценности
certificate-value = Значение
certificate-date = Дата
certificate-reliability = Достоверность, %
certificate-percentile = Процентиль
certificate-center = Центр оценки
certificate-base = База сравнения
certificate-exterior = Экстерьер
certificate-assessedAt = Дата оценки
certificate-finalScore = Итоговая оценка
certificate-finalClass = Класс
certificate-generalView = Общий вид
certificate-bodyVolume = Объём туловища
certificate-dairyCharacter = Выраженность молочного типа
certificate-legQuality = Качество ног
certificate-udderQuality = Качество вымени
certificate-rearBody = Задняя часть туловища
certificate-parentage = Подтверждение происхождения
certificate-parents = Родители по генетическим тестам
certificate-father = Отец
certificate-mother = Мать
certificate-confirmed = подтверждено
certificate-declared = заявлено
certificate-excluded = исключено
certificate-unknown = неизвестно
certificate-type = Вид
certificate-test = Тест
certificate-laboratory = Лаборатория
certificate-method = Сравнение
certificate-byOM = оба родителя
certificate-byO = отец
certificate-byM = мать
certificate-verdict = Вывод
certificate-certificateNumber = Генетический сертификат
certificate-certificateDate = от
certificate-check = Проверка свидетельства
certificate-code = Код
certificate-submit = Проверить
certificate-ask-code = Введите код, указанный в свидетельстве рядом с номером.
certificate-wrong-code = Свидетельства с таким кодом нет.
certificate-no-certificate = Свидетельства с таким номером нет.
certificate-valid = Свидетельство действительно.
certificate-revoked = Свидетельство аннулировано.
certificate-revokedAt = Аннулировано
certificate-reason = Причина
certificate-paper = В свидетельстве
certificate-book = В книге сейчас
certificate-certificate = Свидетельство
certificate-differences = Расхождения с книгой
certificate-no-differences = Расхождений с книгой на сегодня нет.
certificate-not-in-book = Животного больше нет в книге.
certificate-not-kept = Содержание этого свидетельства не сохранено при выдаче, сравнение невозможно.
certificate-nothing = не указано
certificate-compare = Сравните приведённое ниже с бумагой, которая у вас в руках.
certificate-ancestor-2 = Отец
certificate-ancestor-3 = Мать
certificate-issuer = Кем выдано
certificate-signatory = Подпись
certificate-seal = Место печати
certificate-check-at = Проверить подлинность свидетельства можно по адресу
certificate-altIds = Другие номера
certificate-share = Доля, %
certificate-code-is = с кодом
certificate-row = Ряд
certificate-short-number = { $value } лакт.
certificate-short-milk = { $value } кг
certificate-short-fat = МДЖ { $value } %
certificate-short-protein = МДБ { $value } %
certificate-short-index = Индекс { $value }
certificate-short-nobody = нет сведений

# Листы бумаги.
paper-page = Страница
paper-of = из

# Карточка записи для печати.
card-title = { $what }: карточка
card-address = Страница этой записи: { $address }
card-note = Составлено { $date } из того, что открыто читателю, который её запросил.

# Протокол пакета: названия строк и слова модели.

protocol-farm = Хозяйство
protocol-kind = Вид данных
protocol-dataset = Набор данных
protocol-period = Период
protocol-state = Состояние
protocol-sent-by = Отправил
protocol-sent-at = Отправлен
protocol-file-hash = SHA-256 файла
protocol-checked-by = Проверил
protocol-checked-at = Проверен
protocol-agreed-at = Согласие хозяйства
protocol-accepted-at = Принят
protocol-rows-of-file = Строк в файле
protocol-rows-created = Создали записи
protocol-rows-updated = Изменили записи
protocol-rows-skipped = Пропущено строк
protocol-rows-held = Задержано строк
protocol-checks = Проверки
protocol-columns-unconfirmed = Столбцы ждут подтверждения
protocol-rows-mended = Строк, в которых исправлены ячейки после отправки файла
protocol-rows-judged = Рассмотрено строк
protocol-rows-accepted = Строк без замечаний
protocol-rows-rejected = Строк с замечаниями
protocol-remark = Примечание
protocol-signed-by = Подписал
protocol-signed-at = Подписан
protocol-rows = Строк
protocol-rows-hash = SHA-256 строк
protocol-algorithm = Алгоритм
protocol-key = Ключ
protocol-signature = Подпись
protocol-title = Протокол пакета { $number }
protocol-intake = Приём
protocol-review = Проверка
protocol-findings = Замечания при рассмотрении
protocol-steps = Этапы
protocol-animal = Животное
protocol-field = Поле
protocol-severity = Степень
protocol-finding = Замечание
protocol-time = Время
protocol-person = Кто
protocol-none = Нет.
protocol-word-uploaded = загружен
protocol-word-checking = проверяется
protocol-word-checked = проверен
protocol-word-accepted = принят
protocol-word-rejected = отклонён
protocol-word-running = ещё выполняются
protocol-word-fix = исправить
protocol-word-note = обратить внимание
protocol-word-events = события
protocol-word-animals = животные
protocol-word-productivity = продуктивность
protocol-word-genomics = геномика

# Книги с планами подбора.

mating-plan = План подбора
    .females = Самки
    .exclusions = Исключения
    .bulls = Быки
    .female-identNumber = Самка: номер
    .female-name = Самка: кличка
    .bull-identNumber = Бык: номер
    .bull-name = Бык: кличка
    .expectedValue = Ожидаемая ценность
    .expectedInbreeding = Ожидаемый инбридинг, %
    .alternative = Запасной { $number }: { $what }
    .reason = Причина
    .carriers = Носительство обоих
    .uses = Самок за быком
    .limit = Самок не больше
    .meanKinship = Среднее родство с самками

mating-reason = Причина
    .inbreeding = Инбридинг выше предела
    .carriers = Оба — носители
    .all-excluded = Исключены все быки
    .none-left = Быки заняты другими самками
    .no-value = Нет значения для цели
    .no-doses = Нет доз
    .not-fertile = Не годится для воспроизводства (статус пола)
    .not-alive = Нет в стаде
    .not-female = Это не самка
    .not-male = Это не самец

# Списки работ по стаду и числа, по которым они составлены.

work-title = Работы по стаду
work-more = и ещё { $count }
work-none = Нет работ: { $lists }

work-dryOff = К запуску
    .rule = Доятся, до ожидаемого отёла не больше { $count } { $count ->
        [one] дня
       *[other] дней
    }
    .due = Запустить
work-calving = Ожидаемые отёлы
    .rule = До ожидаемого отёла не больше { $count } { $count ->
        [one] дня
       *[other] дней
    }
    .due = Ожидается
work-pregnancyCheck = Проверить на стельность
    .rule = После осеменения прошло не меньше { $count } { $count ->
        [one] дня
       *[other] дней
    }, результата нет
    .due = Проверять с
work-open = Долго нестельные
    .rule = Нестельные, проверки не ждут, после отёла прошло не меньше { $count } { $count ->
        [one] дня
       *[other] дней
    }
    .due = Слишком долго с
work-repeat = Многократно осеменённые
    .rule = Без подтверждённой стельности после { $count } { $count ->
        [one] осеменения
       *[other] осеменений
    } и более
    .due = Последнее осеменение
work-cells = Много соматических клеток
    .rule = Больше { $count } тыс./мл в последнем контрольном доении с анализом на клетки
    .due = Дата анализа
work-noTest = Нет контрольного доения
    .rule = Доятся, контрольного доения не было { $count } { $count ->
        [one] день
        [few] дня
       *[other] дней
    } и более
    .due = Доение не позже
work-milkWithdrawal = Молоко не сдавать
    .rule = Показан последний день, когда молоко не сдают
    .due = До
work-meatWithdrawal = На мясо не сдавать
    .rule = Показан последний день, когда животное не сдают на убой
    .due = До

# The demonstration

demo-book = Книга голштинского скота
demo-association = Ассоциация голштинского скота
demo-signatory = Мария Смирнова, руководитель книги
demo-note = Демонстрация: все записи вымышлены
demo-text = О демонстрации
    .whole = Эта книга показывает, что умеет программа. Хозяйства, люди и животные в ней вымышлены, по её адресам никто не отвечает, а её свидетельства ничего не удостоверяют.
